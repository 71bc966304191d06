// `edictum check`: what a bundle says about one call.
import { EdictumConfigError } from '../contracts/config-error.js'
import { closestWord } from '../internal/closest-word.js'
import { decisionOf, type DryRunDecision } from '../policy/decision.js'
import type { EvaluationResult } from '../policy/evaluation.js'
import { toolNamesOf } from '../policy/tool-names.js'
import { callOptions, readCall } from './call-options.js'
import { type Command, type ExitCode, type Invocation, UsageError } from './command.js'
import { counted, hang } from './layout.js'
import { judgingGuard } from './judging-guard.js'
import { paint, type Terminal } from './terminal.js'

export const check: Command = {
  name: 'check',
  summary: 'Ask what contracts say about one call.',
  operands: 'FILE…',
  options: { ...callOptions, json: { summary: 'Answer in JSON.' } },
  run: judgeOne,
}

async function judgeOne(invocation: Invocation): Promise<ExitCode> {
  const { options, terminal } = invocation
  const { tool, args, ...context } = readCall(options, 'check')
  const { guard, bundle } = await existing(judgingGuard(invocation, 'check'))
  const result = guard.evaluate(tool, args, context)
  const decision = decisionOf(result)
  const isRefused = decision.verdict === 'deny' || decision.verdict === 'approve'
  if (options.isSet('json')) {
    const { decidedBy } = decision
    const answer = {
      tool,
      args,
      verdict: isRefused ? 'deny' : 'allow',
      reason: decidedBy?.message ?? null,
      contracts_evaluated: result.contractsEvaluated,
      environment: context.environment ?? guard.environment,
      ...(decidedBy === null ? {} : { contract_id: decidedBy.contractId, decision: decision.verdict }),
    }
    terminal.say(JSON.stringify(answer, null, 2))
  } else {
    tell(terminal, decision, result)
    if (result.contractsEvaluated === 0) {
      const meant = closestWord(tool, toolNamesOf(bundle))
      const advice = meant === undefined ? 'is the name right?' : `did you mean ${meant}?`
      terminal.say(`  no contract is about the tool ${tool}; ${advice}`)
    }
  }
  return isRefused ? 1 : 0
}

/** A file that is not there is a slip on the command line, not an answer about the call. */
export async function existing<Loaded>(loading: Promise<Loaded>): Promise<Loaded> {
  try {
    return await loading
  } catch (error) {
    const isMissing =
      error instanceof EdictumConfigError && error.diagnostics.some(({ code }) => code === 'bundle-not-found')
    throw isMissing ? new UsageError(error.message) : error
  }
}

const words = {
  allow: ['green', 'ALLOWED'],
  would_deny: ['yellow', 'ALLOWED'],
  approve: ['yellow', 'NEEDS APPROVAL'],
  deny: ['red', 'DENIED'],
  warn: ['yellow', 'ALLOWED'],
  redact: ['yellow', 'ALLOWED'],
  suppress: ['yellow', 'ALLOWED'],
} as const

const notes: Readonly<Record<string, string>> = {
  would_deny: 'only observed: it would be denied if the contract were enforced',
  warn: 'the agent is warned about the output',
  redact: 'the output is redacted',
  suppress: 'the output is suppressed',
}

export function sayVerdict(terminal: Terminal, { verdict, decidedBy }: DryRunDecision): void {
  const [colour, word] = words[verdict]
  const by = decidedBy === null ? '' : ` by contract ${decidedBy.contractId}`
  terminal.say(`${paint(terminal, colour, word)}${by}`)
  const note = notes[verdict]
  if (note !== undefined) terminal.say(`  (${note})`)
  if (decidedBy !== null) for (const line of hang('  ', decidedBy.message ?? '')) terminal.say(line)
}

function tell(terminal: Terminal, decision: DryRunDecision, result: EvaluationResult): void {
  const { decidedBy } = decision
  sayVerdict(terminal, decision)
  if (decidedBy !== null) {
    if (decidedBy.tags.length > 0) terminal.say(`  tags: ${decidedBy.tags.join(', ')}`)
    if (decidedBy.policyError)
      terminal.say('  the condition could not be decided, which counts as a match; see `edictum explain`')
  }
  terminal.say(`  ${counted(result.contractsEvaluated, 'contract')} evaluated`)
}
