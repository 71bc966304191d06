// `edictum calibrate`: what sessions in a log usually do, and a bundle with limits above that.
import type { Mode, SessionLimits } from '../contracts/bundle.js'
import { Baseline, type BaselineReport, type Spread, suggestLimits } from '../history/baseline.js'
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
    headroom: { value: 'FACTOR', summary: 'How far above the most that was seen; 1.5 if left out.' },
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
  const baseline = new Baseline()
  const log = await readLog(file, invocation, (event) => baseline.add(event))
  const report = baseline.report()
  if (report.sessions === 0) throw new CommandFailure(`${brief(file)} holds no calls to learn from`)
  const limits = suggestLimits(report, headroom)
  const bundle = writeBundle(limits, mode)
  const output = options.text('output')
  if (options.isSet('json')) {
    terminal.say(JSON.stringify({ ...toJson(report, limits), bundle }, null, 2))
  } else {
    tell(terminal, report, limits)
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

function toJson({ tools, toolCalls, ...report }: BaselineReport, limits: SessionLimits): object {
  return {
    baseline: { ...report, tool_calls: toolCalls, tools },
    limits: {
      max_tool_calls: limits.maxToolCalls,
      max_attempts: limits.maxAttempts,
      max_calls_per_tool: Object.fromEntries(limits.maxCallsPerTool ?? []),
    },
  }
}

function tell(terminal: Terminal, report: BaselineReport, limits: SessionLimits): void {
  const rows: (readonly [string, Spread, number | undefined])[] = [
    ['attempts', report.attempts, limits.maxAttempts],
    ['executions', report.toolCalls, limits.maxToolCalls],
    ...report.tools.map((spread) => [spread.tool, spread, limits.maxCallsPerTool?.get(spread.tool)] as const),
  ]
  const width = Math.min(40, Math.max(11, ...rows.map(([name]) => name.length)))
  const cell = (value: number | string) => String(value).padStart(8)
  const head = `${'per session'.padEnd(width)}${cell('median')}${cell('95 %')}${cell('most')}${cell('limit')}`
  terminal.say(`${counted(report.sessions, 'session')}`)
  terminal.say(paint(terminal, 'bold', head))
  for (const [name, { median, p95, most }, limit] of rows)
    terminal.say(
      `${brief(name, width).padEnd(width)}${cell(median)}${cell(p95)}${cell(most)}${cell(limit ?? '')}`,
    )
  if (report.sessions < 20)
    for (const line of hang('', 'That is little to learn from: observe for longer before you enforce.'))
      terminal.say(line)
}

function writeBundle({ maxToolCalls, maxAttempts, maxCallsPerTool }: SessionLimits, mode: Mode): string {
  const perTool = [...(maxCallsPerTool ?? [])].map(
    ([tool, limit]) => `        ${/^[\w-]+$/.test(tool) ? tool : JSON.stringify(tool)}: ${limit}`,
  )
  return [
    '# Limits above everything that was observed.',
    '# Observe with them, replay a log, then enforce.',
    'apiVersion: edictum/v1',
    'kind: ContractBundle',
    'metadata:',
    '  name: session-limits',
    'defaults:',
    `  mode: ${mode}`,
    'contracts:',
    '  - id: session-limits',
    '    type: session',
    '    limits:',
    `      max_tool_calls: ${maxToolCalls}`,
    `      max_attempts: ${maxAttempts}`,
    ...(perTool.length === 0 ? [] : ['      max_calls_per_tool:', ...perTool]),
    '    then:',
    '      effect: deny',
    '      message: >-',
    '        This session did more than sessions usually do.',
    '        Summarise what was done and stop.',
    '      tags: [rate-limit]',
    '',
  ].join('\n')
}
