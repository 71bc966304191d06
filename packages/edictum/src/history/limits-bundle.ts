// A bundle with nothing but session limits. Names of tools come from agents: they are written so that they stay names.
import type { Mode } from '../contracts/bundle.js'

export interface LimitsBundle {
  readonly mode: Mode
  readonly maxToolCalls: number
  readonly maxAttempts: number
  readonly maxCallsPerTool: Readonly<Record<string, number>>
}

export function writeLimitsBundle({
  mode,
  maxToolCalls,
  maxAttempts,
  maxCallsPerTool,
}: LimitsBundle): string {
  const perTool = Object.entries(maxCallsPerTool).map(
    ([tool, limit]) => `        ${/^[A-Za-z_][\w-]*$/.test(tool) ? tool : JSON.stringify(tool)}: ${limit}`,
  )
  return [
    'apiVersion: edictum/v1',
    'kind: ContractBundle',
    'metadata: { name: session-limits }',
    `defaults: { mode: ${mode} }`,
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
    '        The limit of this session is reached. Sum up what was done',
    '        and ask a person how to go on.',
    '      tags: [calibrated]',
    '',
  ].join('\n')
}
