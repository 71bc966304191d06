// A batch from its bytes to events that can be stored, a piece at a time.
import type { RejectedEvent } from '../../protocol/events.js'
import { canonicalJson } from '../../store/canonical-json.js'
import type { NewEvent } from '../../store/events.js'
import { Problem } from '../routing/problem.js'
import { parseJson } from '../routing/read-body.js'
import { createCheck } from '../routing/schema-check.js'
import { type AgentManifest, batchBody, type EventPiece } from './event-batch.js'
import { EventFault, type EventSender, readEvent } from './read-event.js'

/** As many as are stored in one transaction: others get their turn in between. */
const eventsPerPiece = 512

interface Batch {
  readonly events: readonly unknown[]
  readonly agent_manifest?: { readonly agent_id: string } | null
}

const check = createCheck<Batch>(batchBody, 'body')

export interface BatchInReading {
  readonly size: number
  readonly manifest: AgentManifest | undefined
  readonly next: () => EventPiece
}

/** @throws Problem when it is no batch. */
export function readBatch(bytes: Uint8Array, sender: EventSender): BatchInReading {
  const { events, agent_manifest: manifest } = check(parseJson(bytes))
  let from = 0
  return {
    size: events.length,
    manifest:
      manifest === undefined || manifest === null
        ? undefined
        : { agentId: manifest.agent_id, content: writeManifest(manifest) },
    next: () => {
      const piece = readPiece(events.slice(from, from + eventsPerPiece), { from, sender })
      from += eventsPerPiece
      return { ...piece, isLast: from >= events.length }
    },
  }
}

function writeManifest(manifest: object): string {
  try {
    return canonicalJson(manifest)
  } catch {
    throw new Problem(422, 'invalid-request', { detail: 'body.agent_manifest is nested too deep' })
  }
}

function readPiece(
  events: readonly unknown[],
  { from, sender }: { readonly from: number; readonly sender: EventSender },
): Omit<EventPiece, 'isLast'> {
  const readable: NewEvent[] = []
  const rejected: RejectedEvent[] = []
  for (const [index, event] of events.entries()) {
    try {
      readable.push(readEvent(event, sender))
    } catch (error) {
      if (!(error instanceof EventFault)) throw error
      rejected.push({ index: from + index, reason: error.message })
    }
  }
  return { events: readable, rejected }
}
