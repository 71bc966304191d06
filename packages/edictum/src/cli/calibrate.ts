// `edictum calibrate`: what sessions in a log usually do, and a bundle with limits above that.
import type { Mode } from '../contracts/bundle.js'
import { Baseline, type BaselineReport, type Spread } from '../history/baseline.js'
import { writeLimitsBundle } from '../history/limits-bundle.js'
import {
  type Command,
  CommandFailure,
  type ExitCode,
  type Invocation,
  type OptionValues,
  UsageError,
} from './command.js'
import { writeNew } from './files.js'
import { brief, counted, hang } from './layout.js'
import { describeSkipped, readLog } from './log-file.js'
import { paint, type Terminal } from './terminal.js'

export const calibrate: Command = {
  name: 'calibrate',
  summary: 'Suggest session limits from what an audit log shows.',
  operands: 'LOG',
  options: {
    output: { value: 'FILE', summary: 'Write the bundle to a new file instead of showing it.' },
    headroom: { value: 'FACTOR', summary: 'How far above what is usual; 1.5 if left out.' },
    mode: { value: 'MODE', summary: 'Of the new bundle: observe, if left out, or enforce.' },
    json: { summary: 'Answer in JSON.' },
  },
  run: suggest,
}

async function suggest(invocation: Invocation): Promise<ExitCode> {
  const { operands, options, terminal, folder } = invocation
  const [file, ...more] = operands
  if (file === undefined || more.length > 0) throw new UsageError('calibrate needs exactly one audit log')
  const headroom = readHeadroom(options)
  const mode = readMode(options)
  const baseline = new Baseline(headroom)
  const log = await readLog(file, invocation, (event) => baseline.add(event))
  const report = baseline.report()
  if (report.sessions === 0) throw new CommandFailure(`${brief(file)} holds no calls to learn from`)
  const limits = {
    maxToolCalls: report.toolCalls.limit,
    maxAttempts: report.attempts.limit,
    maxCallsPerTool: Object.fromEntries(report.tools.map(({ tool, limit }) => [tool, limit])),
  }
  const bundle = writeLimitsBundle({ mode, ...limits })
  const output = options.text('output')
  if (options.isSet('json')) {
    terminal.say(JSON.stringify({ ...toJson(report), bundle }, null, 2))
  } else {
    tell(terminal, report)
    const skipped = describeSkipped(log)
    if (skipped !== '') terminal.complain(skipped)
  }
  if (output !== undefined) {
    writeNew(output, bundle, folder)
    terminal.complain(`written to ${output}; next: edictum replay ${output} --audit-log ${file}`)
  } else if (!options.isSet('json')) terminal.say(`\n${bundle.trimEnd()}`)
  return 0
}

function readHeadroom(options: OptionValues): number {
  const text = options.text('headroom') ?? '1.5'
  const headroom = Number(text)
  if (!(headroom >= 1 && headroom <= 100)) throw new UsageError('--headroom must be a number from 1 to 100')
  return headroom
}

function readMode(options: OptionValues): Mode {
  const mode = options.text('mode') ?? 'observe'
  if (mode !== 'observe' && mode !== 'enforce') throw new UsageError('--mode must be observe or enforce')
  return mode
}

function toJson({ tools, toolCalls, ...report }: BaselineReport): object {
  return {
    baseline: { ...report, tool_calls: toolCalls, tools },
    limits: {
      max_tool_calls: toolCalls.limit,
      max_attempts: report.attempts.limit,
      max_calls_per_tool: Object.fromEntries(tools.map(({ tool, limit }) => [tool, limit])),
    },
  }
}

function tell(terminal: Terminal, report: BaselineReport): void {
  const rows: (readonly [string, Spread])[] = [
    ['attempts', report.attempts],
    ['executions', report.toolCalls],
    ...report.tools.map((spread) => [spread.tool, spread] as const),
  ]
  const width = Math.min(40, Math.max(11, ...rows.map(([name]) => name.length)))
  const cell = (value: number | string) => String(value).padStart(8)
  const head = `${'per session'.padEnd(width)}${cell('median')}${cell('99 %')}${cell('most')}${cell('limit')}`
  terminal.say(counted(report.sessions, 'session'))
  terminal.say(paint(terminal, 'bold', head))
  for (const [name, { median, p99, most, limit }] of rows)
    terminal.say(`${brief(name, width).padEnd(width)}${cell(median)}${cell(p99)}${cell(most)}${cell(limit)}`)
  if (report.sessions < 20)
    for (const line of hang('', 'That is little to learn from: observe for longer before you enforce.'))
      terminal.say(line)
}
