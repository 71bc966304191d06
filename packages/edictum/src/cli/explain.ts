// `edictum explain`: why a call is decided as it is, leaf by leaf, and the smallest change that would turn it.
import type { ContractBundle, SandboxContract } from '../contracts/bundle.js'
import type { EvaluateCall } from '../guard/call-judge.js'
import { findNearestCall, type LeafChange, type NearestCall } from '../guard/nearest-call.js'
import { decisionOf, type DryRunDecision } from '../policy/decision.js'
import type { ContractResult } from '../policy/evaluation.js'
import type { ConditionExplanation, ContractExplanation } from '../policy/explanation.js'
import { callOptions, readCall } from './call-options.js'
import { existing, sayVerdict } from './check.js'
import type { Command, ExitCode, Invocation } from './command.js'
import { judgingGuard } from './judging-guard.js'
import { brief, briefData, hang } from './layout.js'
import { paint, type Terminal } from './terminal.js'

export const explain: Command = {
  name: 'explain',
  summary: 'Show why a call is decided as it is, and what would turn it.',
  operands: 'FILE…',
  options: { ...callOptions, json: { summary: 'Answer in JSON.' } },
  run: explainOne,
}

async function explainOne(invocation: Invocation): Promise<ExitCode> {
  const { options, terminal } = invocation
  const call = readCall(options, 'explain')
  const { guard, bundle } = await existing(judgingGuard(invocation, 'explain'))
  const { tool, args, ...context } = call
  const result = guard.evaluate(tool, args, context)
  const decision = decisionOf(result)
  const explanations = result.explain()
  const nearest = findNearestCall(guard, call)
  if (options.isSet('json')) {
    const answer = {
      tool,
      args,
      verdict: result.verdict,
      decision: decision.verdict,
      contract_id: decision.decidedBy?.contractId ?? null,
      explanations,
      nearest,
    }
    terminal.say(JSON.stringify(answer, null, 2))
  } else {
    sayVerdict(terminal, decision)
    for (const explanation of explanations)
      tellContract(terminal, explanation, { results: result.contracts, bundle })
    if (explanations.length === 0) terminal.say(`\nno contract is about the tool ${tool}`)
    tellNearest(terminal, { call, decision, results: result.contracts }, nearest)
  }
  return decision.verdict === 'deny' || decision.verdict === 'approve' ? 1 : 0
}

interface Known {
  readonly results: readonly ContractResult[]
  readonly bundle: ContractBundle
}

function tellContract(
  terminal: Terminal,
  explanation: ContractExplanation,
  { results, bundle }: Known,
): void {
  const { contractId, contractType, outcome, when, detail } = explanation
  const result = results.find((one) => one.contractId === contractId)
  const mark = outcome === 'not-matched' ? paint(terminal, 'green', '✓') : paint(terminal, 'red', '✗')
  const mode = result?.observed === true ? ', only observes' : ''
  terminal.say('')
  terminal.say(
    `${mark} ${paint(terminal, 'bold', contractId)} (${contractType}, ${result?.effect ?? ''}${mode}): ${outcome === 'not-matched' ? 'passes' : 'fires'}`,
  )
  if (detail !== undefined)
    for (const line of hang('    ', `could not be decided: ${detail}`)) terminal.say(line)
  const contract = bundle.contracts.find(({ id }) => id === contractId)
  if (when !== undefined) tellCondition(terminal, when, 2)
  else if (contract?.type === 'sandbox')
    for (const bound of boundsOf(contract)) for (const line of hang('    ', bound)) terminal.say(line)
}

function boundsOf({ within, notWithin, allows, notAllows }: SandboxContract): readonly string[] {
  const bounds: readonly (readonly [string, readonly string[] | undefined])[] = [
    ['paths within', within],
    ['but not within', notWithin],
    ['commands', allows.commands],
    ['hosts', allows.domains],
    ['but not the hosts', notAllows.domains],
  ]
  return bounds.flatMap(([name, entries]) =>
    entries === undefined || entries.length === 0 ? [] : [`${name}: ${entries.join(', ')}`],
  )
}

const words = {
  matched: 'true',
  'not-matched': 'false',
  'policy-error': 'undecidable, counts as true',
  'not-reached': 'not looked at',
} as const

function tellCondition(terminal: Terminal, node: ConditionExplanation, depth: number): void {
  const indent = '  '.repeat(depth)
  if (node.kind !== 'leaf') {
    terminal.say(`${indent}${node.kind}: ${words[node.outcome]}`)
    const inner = node.kind === 'not' ? [node.condition] : node.conditions
    for (const child of inner) tellCondition(terminal, child, depth + 1)
    return
  }
  const { selector, operator, operand, outcome, detail, detected } = node
  const seen = 'value' in node ? `it is ${briefData(node.value, 40)}` : 'there is nothing'
  const found = detected === undefined ? '' : `; found ${detected.join(', ')}`
  const why = outcome === 'not-reached' ? '' : `; ${seen}${found}`
  const reason = detail === undefined ? '' : ` (${detail})`
  const leaf = `${brief(selector, 40)} ${operator} ${briefData(operand, 60)}`
  for (const line of hang(indent, `${leaf}: ${words[outcome]}${why}${reason}`)) terminal.say(line)
}

interface Explained {
  readonly call: EvaluateCall
  readonly decision: DryRunDecision
  readonly results: readonly ContractResult[]
}

function tellNearest(terminal: Terminal, explained: Explained, nearest: NearestCall): void {
  const { args } = explained.call
  terminal.say('')
  const only = onlyBecause(explained.decision)
  if (only !== undefined) for (const line of hang('', only)) terminal.say(line)
  if (nearest.kind === 'none') {
    terminal.say('Nothing in the call would turn this.')
    return
  }
  for (const line of hang('', headingOf(explained, nearest))) terminal.say(line)
  for (const change of nearest.changes)
    for (const line of hang('  ', describeChange(change))) terminal.say(line)
  if (nearest.kind === 'described') {
    for (const id of nearest.sandboxes) terminal.say(`  keep to what ${id} allows`)
    terminal.say('  (described, not tried: no such value could be named)')
    return
  }
  if (nearest.call.args !== args)
    for (const line of hang('  tried: --args ', `'${JSON.stringify(nearest.call.args)}'`)) terminal.say(line)
}

function onlyBecause({ verdict, decidedBy }: DryRunDecision): string | undefined {
  if (verdict !== 'would_deny' || decidedBy === null) return undefined
  const enforced = decidedBy.effect === 'approve' ? 'a person would be asked' : 'it would be denied'
  return `The call is allowed only because ${decidedBy.contractId} observes; in enforce mode ${enforced}.`
}

function headingOf(
  { decision, results }: Explained,
  { changes }: Exclude<NearestCall, { kind: 'none' }>,
): string {
  if (decision.verdict === 'would_deny') return 'Smallest change that would turn that:'
  const turning = results.find(({ contractId }) => contractId === changes[0]?.contractId)
  return decision.decidedBy === null && turning?.observed === true
    ? `Smallest change that ${turning.contractId} would object to, which only observes:`
    : 'Smallest change that would turn it:'
}

function describeChange({ selector, operator, operand, becomes, to, ...change }: LeafChange): string {
  const is = 'from' in change ? briefData(change.from, 40) : 'nothing'
  const wanted = `so that ${operator} ${briefData(operand, 40)} is ${becomes}`
  if (to === undefined) return `${selector}: not ${is}, ${wanted}`
  return `${selector}: ${is} → ${to.kind === 'absent' ? 'nothing' : briefData(to.value, 40)}, ${wanted}`
}
