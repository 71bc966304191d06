// A bundle that enforces limits. Names of tools come from agents: they are written so that they stay names.

export interface DraftLimits {
  readonly maxToolCalls: number
  readonly maxAttempts: number
  readonly maxCallsPerTool: Readonly<Record<string, number>>
}

export function writeDraft({ maxToolCalls, maxAttempts, maxCallsPerTool }: DraftLimits): string {
  const tools = Object.entries(maxCallsPerTool).map(
    ([tool, limit]) => `        ${JSON.stringify(tool)}: ${limit}\n`,
  )
  return `apiVersion: edictum/v1
kind: ContractBundle
metadata: { name: session-limits }
defaults: { mode: enforce }
contracts:
  - id: session-limits
    type: session
    limits:
      max_tool_calls: ${maxToolCalls}
      max_attempts: ${maxAttempts}
${tools.length === 0 ? '' : `      max_calls_per_tool:\n${tools.join('')}`}    then:
      effect: deny
      message: "The limit of this session is reached. Sum up what was done and ask a person how to go on."
      tags: [calibrated]
`
}
