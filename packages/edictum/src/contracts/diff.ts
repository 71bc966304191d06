// Two bundles compared by what they mean: layout, comments, order of keys and vocabulary do not count.
import { canonicalJson } from '../internal/canonical-json.js'
import type {
  Condition,
  Contract,
  ContractBundle,
  ContractType,
  Leaf,
  Mode,
  SessionLimits,
} from './bundle.js'

export interface ContractReference {
  readonly id: string
  readonly type: ContractType
}

export interface ChangedContract extends ContractReference {
  /** One line for each thing that changed, in words. */
  readonly changes: readonly string[]
}

export interface BundleDiff {
  readonly added: readonly ContractReference[]
  readonly removed: readonly ContractReference[]
  readonly changed: readonly ChangedContract[]
  readonly unchanged: readonly ContractReference[]
  /** Changes of the bundle itself: its mode, its tools, what it observes. */
  readonly bundleChanges: readonly string[]
  readonly hasChanges: boolean
}

/** What is different in the second bundle, contract by contract, in words. */
export function diffBundles(before: ContractBundle, after: ContractBundle): BundleDiff {
  const old = byId(before)
  const now = byId(after)
  const shared = [...now.values()].flatMap((contract) => {
    const previous = old.get(contract.id)
    return previous === undefined ? [] : [{ previous, contract }]
  })
  const isSame = ({ previous, contract }: (typeof shared)[number]) =>
    writeDown(previous) === writeDown(contract)
  const changed = shared
    .filter((pair) => !isSame(pair))
    .map(({ previous, contract }) => ({
      ...referenceTo(contract),
      changes: changesOf(
        { contract: previous, mode: before.defaults.mode },
        { contract, mode: after.defaults.mode },
      ),
    }))
  const diff = {
    added: sorted([...now.values()].filter(({ id }) => !old.has(id)).map(referenceTo)),
    removed: sorted([...old.values()].filter(({ id }) => !now.has(id)).map(referenceTo)),
    changed: sorted(changed),
    unchanged: sorted(shared.filter(isSame).map(({ contract }) => referenceTo(contract))),
    bundleChanges: bundleChanges(before, after),
  }
  const { added, removed, bundleChanges: own } = diff
  return { ...diff, hasChanges: [added, removed, changed, own].some(({ length }) => length > 0) }
}

function byId({ contracts }: ContractBundle): ReadonlyMap<string, Contract> {
  return new Map(contracts.map((contract) => [contract.id, contract]))
}

function referenceTo({ id, type }: Contract): ContractReference {
  return { id, type }
}

function sorted<Reference extends ContractReference>(references: readonly Reference[]): readonly Reference[] {
  return references.toSorted((left, right) => (left.id < right.id ? -1 : 1))
}

function writeDown(value: unknown): string {
  return canonicalJson(toPlain(value))
}

function toPlain(value: unknown): unknown {
  if (value instanceof Map) return toPlain(Object.fromEntries(value))
  if (Array.isArray(value)) return value.map(toPlain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, toPlain(part)]))
}

function bundleChanges(before: ContractBundle, after: ContractBundle): readonly string[] {
  const followers = after.contracts.filter(({ mode }) => mode === undefined).length
  const modes = modeChange(before.defaults.mode, after.defaults.mode)
  const tools = [...new Set([...before.tools.keys(), ...after.tools.keys()])].toSorted()
  return [
    ...modes.map(
      (change) => `defaults.${change}, for every contract without a mode of its own: ${followers}`,
    ),
    ...tools.flatMap((tool) => shift(`tools.${tool}`, describeTool(before, tool), describeTool(after, tool))),
    ...shift('observe_alongside', before.observeAlongside, after.observeAlongside),
    ...(writeDown(before.observability) === writeDown(after.observability) ? [] : ['observability changed']),
    ...shift('name', before.metadata.name, after.metadata.name),
    ...(before.metadata.description === after.metadata.description ? [] : ['description changed']),
  ]
}

function describeTool({ tools }: ContractBundle, tool: string): string | undefined {
  const descriptor = tools.get(tool)
  if (descriptor === undefined) return undefined
  return descriptor.idempotent ? `${descriptor.sideEffect}, idempotent` : descriptor.sideEffect
}

interface Side {
  readonly contract: Contract
  /** The bundle's default. */
  readonly mode: Mode
}

function changesOf(before: Side, after: Side): readonly string[] {
  const [old, now] = [before.contract, after.contract]
  const common = [
    ...(old.enabled === now.enabled
      ? []
      : [now.enabled ? 'switched on (stricter)' : 'switched off (looser)']),
    ...modeChange(old.mode ?? before.mode, now.mode ?? after.mode),
  ]
  const own =
    old.type === now.type
      ? ownChanges(old, now)
      : [`type: ${old.type} → ${now.type}; it is another contract now`]
  const changes = [...common, ...own]
  return changes.length > 0 ? changes : ['written differently, with the same effect']
}

function modeChange(before: Mode, after: Mode): readonly string[] {
  if (before === after) return []
  return [`mode: ${before} → ${after} (${after === 'enforce' ? 'stricter' : 'looser: it only observes now'})`]
}

function ownChanges(old: Contract, now: Contract): readonly string[] {
  if (old.type === 'session' && now.type === 'session')
    return [...limitChanges(old.limits, now.limits), ...consequenceChanges(old.then, now.then)]
  if (old.type === 'sandbox' && now.type === 'sandbox')
    return [
      ...listChange('tools', old.tools, now.tools),
      ...listChange('within', old.within, now.within),
      ...listChange('not_within', old.notWithin, now.notWithin),
      ...listChange('allows.commands', old.allows.commands, now.allows.commands),
      ...listChange('allows.domains', old.allows.domains, now.allows.domains),
      ...listChange('not_allows.domains', old.notAllows.domains, now.notAllows.domains),
      ...effectChange('outside', old.outside, now.outside),
      ...shift('timeout', old.timeoutSeconds, now.timeoutSeconds),
      ...shift('timeout_effect', old.timeoutEffect, now.timeoutEffect),
      ...shift('message', old.message, now.message),
    ]
  if ((old.type === 'pre' && now.type === 'pre') || (old.type === 'post' && now.type === 'post'))
    return [
      ...shift('tool', old.tool, now.tool),
      ...conditionChanges(old.when, now.when),
      ...consequenceChanges(old.then, now.then),
    ]
  return []
}

/** From the one that stops nothing to the one that stops everything. */
const strictness = ['warn', 'redact', 'approve', 'deny']

function effectChange(field: string, old: string, now: string): readonly string[] {
  if (old === now) return []
  const isStricter = strictness.indexOf(now) > strictness.indexOf(old)
  return [`${field}: ${old} → ${now} (${isStricter ? 'stricter' : 'looser'})`]
}

interface AnyConsequence {
  readonly effect: string
  readonly message: string
  readonly tags: readonly string[]
  readonly metadata: object
  readonly timeoutSeconds?: number
  readonly timeoutEffect?: string
}

function consequenceChanges(old: AnyConsequence, now: AnyConsequence): readonly string[] {
  return [
    ...effectChange('effect', old.effect, now.effect),
    ...shift('timeout', old.timeoutSeconds, now.timeoutSeconds),
    ...shift('timeout_effect', old.timeoutEffect, now.timeoutEffect),
    ...shift('message', old.message, now.message),
    ...listChange('tags', old.tags, now.tags),
    ...(writeDown(old.metadata) === writeDown(now.metadata) ? [] : ['metadata changed']),
  ]
}

function limitChanges(old: SessionLimits, now: SessionLimits): readonly string[] {
  const tools = new Set([...(old.maxCallsPerTool?.keys() ?? []), ...(now.maxCallsPerTool?.keys() ?? [])])
  return [
    ...limitChange('max_tool_calls', old.maxToolCalls, now.maxToolCalls),
    ...limitChange('max_attempts', old.maxAttempts, now.maxAttempts),
    ...[...tools]
      .toSorted()
      .flatMap((tool) =>
        limitChange(
          `max_calls_per_tool.${tool}`,
          old.maxCallsPerTool?.get(tool),
          now.maxCallsPerTool?.get(tool),
        ),
      ),
  ]
}

function limitChange(name: string, old: number | undefined, now: number | undefined): readonly string[] {
  return shift(name, old, now).map(
    (change) => `${change} (${(now ?? Infinity) < (old ?? Infinity) ? 'stricter' : 'looser'})`,
  )
}

/** Leaves of the same selector and operator are one leaf with another operand. */
function conditionChanges(old: Condition, now: Condition): readonly string[] {
  if (writeDown(old) === writeDown(now)) return []
  const gone = without(leavesOf(old), leavesOf(now))
  const added = without(leavesOf(now), leavesOf(old))
  const changes: string[] = []
  for (const leaf of gone) {
    const at = added.findIndex(
      ({ selector, operator }) => selector === leaf.selector && operator === leaf.operator,
    )
    const [other] = at === -1 ? [] : added.splice(at, 1)
    changes.push(
      ...(other === undefined
        ? [`condition without: ${describeLeaf(leaf)}`]
        : operandChange(leaf, other.operand)),
    )
  }
  changes.push(...added.map((leaf) => `condition with: ${describeLeaf(leaf)}`))
  if (shapeOf(old) !== shapeOf(now))
    changes.push(`condition is put together as ${shapeOf(now)}, not ${shapeOf(old)}`)
  return changes.length > 0 ? changes : ['condition in another order']
}

function operandChange({ selector, operator, operand }: Leaf, other: unknown): readonly string[] {
  const name = `${selector} ${operator}`
  return Array.isArray(operand) && Array.isArray(other)
    ? listChange(name, operand, other)
    : shift(name, operand, other)
}

function leavesOf(condition: Condition): readonly Leaf[] {
  switch (condition.kind) {
    case 'all':
    case 'any':
      return condition.conditions.flatMap(leavesOf)
    case 'not':
      return leavesOf(condition.condition)
    case 'leaf':
      return [condition]
    default:
      return condition satisfies never
  }
}

function shapeOf(condition: Condition): string {
  switch (condition.kind) {
    case 'all':
    case 'any': {
      const inner = condition.conditions.map(shapeOf).filter((shape) => shape !== 'one leaf')
      return inner.length === 0 ? condition.kind : `${condition.kind} with ${inner.join(' and ')} inside`
    }
    case 'not': {
      const inner = shapeOf(condition.condition)
      return inner === 'one leaf' ? 'not' : `not ${inner}`
    }
    case 'leaf':
      return 'one leaf'
    default:
      return condition satisfies never
  }
}

function without(leaves: readonly Leaf[], others: readonly Leaf[]): Leaf[] {
  const known = new Set(others.map(writeDown))
  return leaves.filter((leaf) => !known.has(writeDown(leaf)))
}

function describeLeaf({ selector, operator, operand }: Leaf): string {
  return `${selector} ${operator} ${show(operand)}`
}

function shift(name: string, old: unknown, now: unknown): readonly string[] {
  return writeDown(old) === writeDown(now) ? [] : [`${name}: ${show(old)} → ${show(now)}`]
}

function listChange(
  name: string,
  old: readonly unknown[] = [],
  now: readonly unknown[] = [],
): readonly string[] {
  const [before, after] = [new Set(old.map(writeDown)), new Set(now.map(writeDown))]
  const gone = old.filter((entry) => !after.has(writeDown(entry)))
  const added = now.filter((entry) => !before.has(writeDown(entry)))
  if (gone.length === 0 && added.length === 0)
    return writeDown(old) === writeDown(now) ? [] : [`${name} in another order`]
  const parts = [...added.map((entry) => `+ ${show(entry)}`), ...gone.map((entry) => `- ${show(entry)}`)]
  return [`${name}: ${parts.join(', ')}`]
}

function show(value: unknown): string {
  return value === undefined ? 'none' : typeof value === 'string' ? `"${value}"` : canonicalJson(value)
}
