// Contracts that load and yet cannot be meant: they never fire, deny everything, are shadowed by another, or name a tool
// that nobody calls.
import type { Contract, ContractBundle, Mode, PostContract, PreContract } from '../contracts/bundle.js'
import type { PathStep } from '../contracts/diagnostic.js'
import { closestWord } from '../internal/closest-word.js'
import { constancyOf, implies } from './condition-logic.js'
import { faultInToolName } from './envelope.js'
import { compileGlob, isGlob } from './tool-glob.js'
import { toolPatternsOf } from './tool-names.js'

const lintCodes = ['never-fires', 'denies-everything', 'shadowed', 'misspelt-tool', 'unseen-tool'] as const

export type LintCode = (typeof lintCodes)[number]

export interface LintFinding {
  readonly code: LintCode
  readonly contractId: string
  /** One line, in words. */
  readonly message: string
  /** Where in the bundle, for example `['contracts', 2, 'when']`. */
  readonly path: readonly PathStep[]
}

export interface LintOptions {
  /** Names of tools that are really called, from a log for example. */
  readonly toolNames?: Iterable<string>
}

/** Everything suspicious in a bundle, in its order. What is reported can be proven from the bundle and the names. */
export function lintBundle(bundle: ContractBundle, options: LintOptions = {}): readonly LintFinding[] {
  const called = new Set(options.toolNames)
  return bundle.contracts.flatMap((contract, index) => {
    if (!contract.enabled) return []
    const report = (code: LintCode, message: string, ...path: readonly PathStep[]): LintFinding => ({
      code,
      contractId: contract.id,
      message,
      path: ['contracts', index, ...path],
    })
    const dead = neverFires(contract, report)
    return [
      ...dead,
      ...(dead.length > 0 ? [] : [...deniesEverything(contract, bundle.defaults.mode, report)]),
      ...(dead.length > 0 ? [] : shadowed(contract, bundle, report)),
      ...toolFindings(contract, { bundle, called }, report),
    ]
  })
}

type Report = (code: LintCode, message: string, ...path: readonly PathStep[]) => LintFinding

function neverFires(contract: Contract, report: Report): readonly LintFinding[] {
  const names = toolPatternsOf(contract).filter(
    (name) => !isGlob(name) && faultInToolName(name) !== undefined,
  )
  const impossible = names.map((name) =>
    report(
      'never-fires',
      `no tool can be called \`${name}\``,
      ...(contract.type === 'session' ? ['limits'] : ['tool']),
    ),
  )
  if (contract.type !== 'pre' && contract.type !== 'post') return impossible
  return constancyOf(contract.when) === 'never'
    ? [...impossible, report('never-fires', 'the condition can never hold', 'when')]
    : impossible
}

function deniesEverything(contract: Contract, mode: Mode, report: Report): readonly LintFinding[] {
  if (contract.type !== 'pre' || contract.then.effect !== 'deny' || (contract.mode ?? mode) !== 'enforce')
    return []
  if (constancyOf(contract.when) !== 'always') return []
  const what = contract.tool === '*' ? 'every call of every tool' : `every call of ${contract.tool}`
  return [report('denies-everything', `the condition always holds, so ${what} is denied`, 'when')]
}

type Conditional = PreContract | PostContract

/** Something that denies first, or denies anyway, leaves nothing to decide. */
function shadowed(contract: Contract, bundle: ContractBundle, report: Report): readonly LintFinding[] {
  if (contract.type === 'session') return shadowedLimits(contract, bundle, report)
  if (contract.type !== 'pre') return []
  const { mode } = bundle.defaults
  const position = bundle.contracts.indexOf(contract)
  const other = bundle.contracts.find((candidate, index): candidate is PreContract => {
    if (candidate === contract || candidate.type !== 'pre' || !candidate.enabled) return false
    if (candidate.then.effect !== 'deny' || (candidate.mode ?? mode) !== 'enforce') return false
    // Of two that deny the first decides; deny beats approve wherever it stands.
    if (contract.then.effect === 'deny' && index > position) return false
    return covers(candidate, contract)
  })
  return other === undefined
    ? []
    : [report('shadowed', `it never decides: whenever it fires, \`${other.id}\` denies the call`)]
}

function covers(wide: Conditional, narrow: Conditional): boolean {
  const isSameTool = wide.tool === '*' || wide.tool === narrow.tool
  const includesTool = isSameTool || (!isGlob(narrow.tool) && compileGlob(wide.tool)(narrow.tool))
  return includesTool && (constancyOf(wide.when) === 'always' || implies(narrow.when, wide.when))
}

function shadowedLimits(
  contract: Extract<Contract, { type: 'session' }>,
  { contracts, defaults }: ContractBundle,
  report: Report,
): readonly LintFinding[] {
  const others = contracts.filter(
    (other) =>
      other.type === 'session' &&
      other !== contract &&
      other.enabled &&
      (other.mode ?? defaults.mode) === 'enforce',
  )
  const lower = (name: 'maxToolCalls' | 'maxAttempts') =>
    others.find((other) => {
      const [mine, theirs] = [
        contract.limits[name],
        other.type === 'session' ? other.limits[name] : undefined,
      ]
      return mine !== undefined && theirs !== undefined && theirs < mine
    })
  return (['maxToolCalls', 'maxAttempts'] as const).flatMap((name) => {
    const other = lower(name)
    const word = name === 'maxToolCalls' ? 'max_tool_calls' : 'max_attempts'
    return other === undefined
      ? []
      : [report('shadowed', `\`${word}\` is never reached: \`${other.id}\` has a lower one`, 'limits', word)]
  })
}

function toolFindings(
  contract: Contract,
  { bundle, called }: { readonly bundle: ContractBundle; readonly called: ReadonlySet<string> },
  report: Report,
): readonly LintFinding[] {
  const declared = [...bundle.tools.keys()].filter((name) => !isGlob(name))
  const known = new Set([...declared, ...called])
  const field = contract.type === 'session' ? 'limits' : 'tool'
  return toolPatternsOf(contract).flatMap((pattern) => {
    if (known.size === 0 || pattern === '*') return []
    const matches = compileGlob(pattern)
    if (called.size > 0 ? [...called].some(matches) : [...known].some(matches)) return []
    const meant = isGlob(pattern)
      ? undefined
      : closestWord(
          pattern,
          [...known].filter((name) => name !== pattern),
        )
    const where = called.size > 0 ? 'the log' : '`tools`'
    if (meant !== undefined)
      return [report('misspelt-tool', `\`${pattern}\` is not in ${where}; did you mean \`${meant}\`?`, field)]
    return called.size > 0
      ? [report('unseen-tool', `no tool in the log is called \`${pattern}\``, field)]
      : []
  })
}
