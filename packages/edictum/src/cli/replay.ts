// `edictum replay`: an audit log put to other contracts; what would be decided differently.
import { createWriteStream } from 'node:fs'
import { once } from 'node:events'
import { resolve } from 'node:path'
import type { RecordedEvent } from '../history/audit-log.js'
import { decidesDifferently, Replay, type ReplayedCall, type ReplayGroup } from '../history/replay.js'
import { type Command, type ExitCode, type Invocation, UsageError } from './command.js'
import { judgingGuard } from './judging-guard.js'
import { brief, briefData, counted, hang } from './layout.js'
import { describeSkipped, type LogSummary, readLog } from './log-file.js'
import { paint, type Terminal } from './terminal.js'

export const replay: Command = {
  name: 'replay',
  summary: 'Put an audit log to contracts: what would be different.',
  operands: 'FILE…',
  options: {
    'audit-log': { value: 'FILE', summary: 'Audit events, one JSON object a line; - reads standard input.' },
    output: { value: 'FILE', summary: 'Write what becomes of every event, as lines of JSON.' },
    json: { summary: 'Answer in JSON.' },
  },
  run: replayLog,
}

interface Report {
  readonly log: LogSummary
  readonly replay: Replay<RecordedEvent>
  /** Events whose arguments are not all there any more. */
  readonly masked: number
}

async function replayLog(invocation: Invocation): Promise<ExitCode> {
  const { options, terminal } = invocation
  const file = options.text('audit-log')
  if (file === undefined) throw new UsageError('replay needs --audit-log FILE')
  const { guard } = await judgingGuard(invocation, 'replay')
  const again = new Replay<RecordedEvent>(guard, decidesDifferently)
  const output = openOutput(invocation)
  let masked = 0
  const log = await readLog(file, invocation, (event) => {
    if (event.isFollowUp) return
    if (event.isMasked) masked++
    const replayed = again.add(event)
    if (replayed !== undefined) output?.write(`${JSON.stringify(toLine(event, replayed))}\n`)
  })
  if (output !== undefined) {
    output.end()
    await once(output, 'close')
  }
  const report = { log, replay: again, masked }
  if (options.isSet('json')) terminal.say(JSON.stringify(toJson(report), null, 2))
  else tell(terminal, report)
  return again.changed > 0 ? 1 : 0
}

function openOutput({ options, folder }: Invocation): ReturnType<typeof createWriteStream> | undefined {
  const file = options.text('output')
  return file === undefined ? undefined : createWriteStream(resolve(folder, file))
}

function toLine(event: RecordedEvent, { after, decidedBy, isChange }: ReplayedCall): object {
  // What only observes lets the call run, unless only observing is what the record speaks of.
  const isDenied =
    after === 'deny' || after === 'approve' || (after === 'would_deny' && event.verdict === 'would_deny')
  return {
    tool_name: event.toolName,
    tool_args: event.args,
    environment: event.environment,
    original_action: event.action,
    new_verdict: isDenied ? 'denied' : 'allowed',
    changed: isChange,
    ...(isDenied && decidedBy !== null
      ? { denied_by: decidedBy.contractId, message: decidedBy.message }
      : {}),
  }
}

function toJson({ log, replay: again, masked }: Report): object {
  return {
    lines: log.lines,
    events: log.events,
    replayed: again.replayed,
    changed: again.changed,
    unchanged: again.replayed - again.changed,
    not_replayable: again.failures,
    skipped: { unreadable: log.unreadable, ...log.skipped },
    masked_args: masked,
    groups: again.groups.map(({ isChange, previousContract, examples, ...group }) => ({
      ...group,
      changed: isChange,
      previous_contract: previousContract,
      examples: examples.map(({ args, callId, action }) => ({ tool_args: args, call_id: callId, action })),
    })),
  }
}

function tell(terminal: Terminal, { log, replay: again, masked }: Report): void {
  const changes = again.groups.filter(({ isChange }) => isChange)
  const shifts = again.groups.filter(({ isChange }) => !isChange)
  terminal.say(
    `${counted(again.replayed, 'event')} replayed, ${paint(terminal, again.changed > 0 ? 'red' : 'green', `${again.changed} changed`)}`,
  )
  for (const group of changes) tellGroup(terminal, group)
  if (shifts.length > 0) {
    terminal.say('')
    terminal.say('Not counted as changes:')
    for (const group of shifts) tellGroup(terminal, group)
  }
  const skipped = describeSkipped(log)
  const notes = [
    ...(skipped === '' ? [] : [skipped]),
    ...(again.failures > 0 ? [`${counted(again.failures, 'event')} could not be judged.`] : []),
    ...(masked > 0
      ? [
          `In ${counted(masked, 'event')} arguments were masked or cut when they were recorded; contracts may decide differently about the real ones.`,
        ]
      : []),
  ]
  if (notes.length > 0) terminal.say('')
  for (const note of notes) for (const line of hang('', note)) terminal.say(line)
}

const words = { allow: 'allowed', deny: 'denied', approve: 'asked about', would_deny: 'observed' } as const

function tellGroup(terminal: Terminal, group: ReplayGroup<RecordedEvent>): void {
  const { tool, before, after, contract, previousContract, count, examples } = group
  const by = contract ?? previousContract
  terminal.say('')
  for (const line of hang(
    '  ',
    `${brief(tool, 40)}: ${words[before]} → ${words[after]}, ${counted(count, 'call')}${by === null ? '' : ` (${contract === null ? 'no longer ' : ''}by ${by})`}`,
  ))
    terminal.say(line)
  for (const { args } of examples) terminal.say(`    ${briefData(args, 74)}`)
}
