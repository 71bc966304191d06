// An audit log line by line, however long it is.
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { type AuditLine, AuditLogReader, type RecordedEvent, type SkipReason } from '../history/audit-log.js'
import type { Invocation } from './command.js'
import { readGiven, textOf, unreadable } from './files.js'
import { brief, counted } from './layout.js'

/** What was in the log beside the events, by the number of lines. */
export interface LogSummary {
  readonly lines: number
  readonly events: number
  readonly unreadable: number
  readonly skipped: Readonly<Record<SkipReason, number>>
}

/** A log of so many lines takes long enough to be told about. */
const linesBetweenNews = 5_000
const mostWarnings = 5

/** Hands over every event. @throws EdictumConfigError when the file cannot be read. */
export async function readLog(
  file: string,
  invocation: Invocation,
  onEvent: (event: RecordedEvent) => void,
): Promise<LogSummary> {
  const { terminal } = invocation
  const reader = new AuditLogReader()
  const skipped = { 'no-decision': 0, candidate: 0, 'decided-elsewhere': 0, 'invalid-tool-name': 0 }
  let [lines, events, broken] = [0, 0, 0]
  for await (const text of linesOf(file, invocation)) {
    lines++
    const line: AuditLine = reader.read(text)
    if (line.kind === 'event') {
      events++
      onEvent(line.event)
    } else if (line.kind === 'skipped') skipped[line.why]++
    else if (line.kind === 'unreadable') {
      if (++broken <= mostWarnings) terminal.complain(`warning: ${file}:${lines}: ${line.problem}, skipped`)
    }
    if (lines % linesBetweenNews === 0) terminal.progress?.(`${counted(lines, 'line')} read`)
  }
  terminal.progress?.('')
  if (broken > mostWarnings)
    terminal.complain(`warning: ${brief(file)}: ${counted(broken - mostWarnings, 'more line')} skipped`)
  return { lines, events, unreadable: broken, skipped }
}

async function* linesOf(file: string, invocation: Invocation): AsyncIterable<string> {
  if (file === '-') {
    yield* textOf(await readGiven(file, invocation)).split('\n')
    return
  }
  const path = resolve(invocation.folder, file)
  try {
    if ((await stat(path)).isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' })
  } catch (error) {
    throw unreadable(file, error)
  }
  yield* createInterface({ input: createReadStream(path, 'utf8'), crlfDelay: Infinity })
}

/** In words, for the lines that are not events; empty when there are none. */
export function describeSkipped({ unreadable: broken, skipped }: LogSummary): string {
  const parts = [
    [broken, 'not an audit event'],
    [skipped['no-decision'], 'no decision in it'],
    [skipped.candidate, 'by a candidate beside the contracts in force'],
    [skipped['decided-elsewhere'], 'denied by something that is in no bundle'],
    [skipped['invalid-tool-name'], 'impossible tool name'],
  ] as const
  const words = parts.filter(([count]) => count > 0).map(([count, what]) => `${count} (${what})`)
  return words.length === 0 ? '' : `Skipped lines: ${words.join(', ')}.`
}
