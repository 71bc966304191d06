// What the events of a call say about its time. Agents send it, so nothing about it is taken for granted.
import type { CallTiming } from '../protocol/decisions.js'
import type { StoredEvent } from '../store/events.js'
import { readField } from './bundles/recorded-call.js'
import { toOurAction } from './event-words.js'

/** Those that may have somebody to wait for. */
const steps = ['attempt', 'hooks', 'decide', 'approve', 'reserve', 'inspect', 'settle', 'record'] as const
const endings: ReadonlySet<string> = new Set(['call_executed', 'call_failed'])

export function readTiming(events: readonly StoredEvent[]): CallTiming {
  const waits: Record<string, number> = {}
  let tool: number | null = null
  for (const event of events) {
    const field = readField(event)
    const told = toFields(field('waits_ms'))
    for (const step of steps) {
      const ms = told[step]
      // Every event tells what was known when it was made, so the largest is the last.
      if (isDuration(ms)) waits[step] = Math.max(waits[step] ?? 0, ms)
    }
    const duration = field('duration_ms')
    if (endings.has(toOurAction(event.action)) && isDuration(duration)) tool = duration
  }
  return { waits_ms: waits, tool_ms: tool }
}

function isDuration(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

function toFields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
}
