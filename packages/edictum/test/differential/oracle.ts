// A second, deliberately naive evaluator of contract bundles. It shares no code with the library, compiles nothing
// and indexes nothing, so that the compiled policy can be checked against something obvious.

export type Expression = { readonly [key: string]: unknown }

export interface OracleContract {
  readonly id: string
  readonly type: string
  readonly enabled?: boolean
  readonly mode?: string
  readonly tool?: string
  readonly when?: Expression
}

export interface OracleBundle {
  readonly defaults: { readonly mode: string }
  readonly contracts: readonly OracleContract[]
}

export interface OracleCall {
  readonly toolName: string
  readonly args: Readonly<Record<string, unknown>>
  readonly principal?: Readonly<Record<string, unknown>>
  readonly environment?: string
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly variables?: Readonly<Record<string, string>>
  readonly output?: unknown
}

export interface OracleRecord {
  readonly contractId: string
  readonly contractType: 'precondition' | 'postcondition'
  readonly passed: boolean
  readonly policyError: boolean
  readonly observed: boolean
}

type Truth = boolean | 'policy error'

export function evaluateNaively(bundle: OracleBundle, call: OracleCall) {
  const contracts: OracleRecord[] = []
  for (const contractType of ['precondition', 'postcondition'] as const) {
    if (contractType === 'postcondition' && isMissing(call.output)) continue
    for (const contract of bundle.contracts) {
      if (contract.type !== (contractType === 'precondition' ? 'pre' : 'post')) continue
      if (contract.enabled === false || !globMatches(contract.tool ?? '', call.toolName)) continue
      const truth = evaluateExpression(contract.when ?? {}, call)
      contracts.push({
        contractId: contract.id,
        contractType,
        passed: truth === false,
        policyError: truth === 'policy error',
        observed: truth !== false && (contract.mode ?? bundle.defaults.mode) === 'observe',
      })
    }
  }
  const failures = contracts.filter(({ passed, observed }) => !passed && !observed)
  const denied = failures.some(({ contractType }) => contractType === 'precondition')
  return {
    verdict: denied ? ('deny' as const) : failures.length > 0 ? ('warn' as const) : ('allow' as const),
    policyError: contracts.some(({ policyError }) => policyError),
    contracts,
  }
}

function evaluateExpression(expression: Expression, call: OracleCall): Truth {
  const [key, value] = Object.entries(expression)[0] ?? ['', undefined]
  if (key === 'not') {
    const inner = evaluateExpression(value as Expression, call)
    return inner === 'policy error' ? inner : !inner
  }
  if (key === 'all') {
    for (const part of value as Expression[]) {
      const truth = evaluateExpression(part, call)
      if (truth !== true) return truth
    }
    return true
  }
  if (key === 'any') {
    for (const part of value as Expression[]) {
      const truth = evaluateExpression(part, call)
      if (truth !== false) return truth
    }
    return false
  }
  const [operator, operand] = Object.entries(value as Expression)[0] ?? ['', undefined]
  const forms = normalForms(call)
  if (!Object.hasOwn(forms, key)) return applyOperator(operator, operand, select(key, call))
  const values = forms[key]
  if (values === undefined) return 'policy error'
  if (operator === 'exists') return values.length > 0 === operand
  if (operator === 'within') return values.some((one) => isWithin(one, operand as string[]))
  if (operator === 'not_within') return values.some((one) => !isWithin(one, operand as string[]))
  for (const one of values) {
    const truth = applyOperator(operator, operand, one)
    if (truth !== false) return truth
  }
  return false
}

function isWithin(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => `${path}/`.startsWith(`${folder}/`))
}

/**
 * What the call means, told from the few kinds of commands and paths that are generated; a form is undefined when the
 * program of a command is a variable.
 */
function normalForms({ args }: OracleCall): Record<string, string[] | undefined> {
  const line = typeof args['command'] === 'string' ? args['command'] : ''
  const commands = line
    .split(/;|&&|\|/)
    .map((one) => one.split(' ').filter((word) => word !== ''))
    .filter((words) => words.length > 0)
  const isUnknown = commands.some((words) => words[0]?.startsWith('$'))
  const words = commands.flat()
  const programs = commands
    .flatMap(([first = '', second = '']) => (first === 'env' ? [first, second] : [first]))
    .map((program) => program.slice(program.lastIndexOf('/') + 1))
  const texts = stringsIn(Object.entries(args).filter(([key]) => key !== 'command'))
  return {
    'command.programs': isUnknown ? undefined : programs,
    'command.unresolved': isUnknown ? ['the program is only known at run time'] : [],
    paths: isUnknown
      ? undefined
      : [...texts, ...words].filter((text) => text.startsWith('/')).map((text) => text.replace(/\/$/, '')),
    hosts: isUnknown
      ? undefined
      : words
          .filter((word) => word.startsWith('https://'))
          .map((word) => word.split('/')[2]?.toLowerCase() ?? ''),
  }
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(stringsIn)
}

function applyOperator(operator: string, operand: unknown, field: unknown): Truth {
  if (operator === 'exists') return isMissing(field) !== operand
  if (isMissing(field)) return false
  const operands = operand as string[]
  if (operator === 'equals') return areEqual(field, operand)
  if (operator === 'not_equals') return !areEqual(field, operand)
  if (operator === 'in') return operands.some((one) => areEqual(field, one))
  if (operator === 'not_in') return !operands.some((one) => areEqual(field, one))
  const compare = comparisons[operator]
  if (compare !== undefined)
    return typeof field === 'number' ? compare(field, operand as number) : 'policy error'
  if (operator === 'detects')
    return textsOf(field).some((text) => operands.some((name) => detects(name, text)))
  if (typeof field !== 'string') return 'policy error'
  if (operator === 'contains') return field.includes(operand as string)
  if (operator === 'contains_any') return operands.some((one) => field.includes(one))
  if (operator === 'starts_with') return field.startsWith(operand as string)
  if (operator === 'ends_with') return field.endsWith(operand as string)
  if (operator === 'matches') return patternMatches(operand as string, field)
  if (operator === 'matches_any') return operands.some((one) => patternMatches(one, field))
  throw new Error(`the oracle does not know ${operator}`)
}

/** Every text in a value, keys included. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => [
    ...(Array.isArray(value) ? [] : [key]),
    ...textsOf(inner),
  ])
}

/** Knows the few forms that occur in generated texts. */
function detects(name: string, text: string): boolean {
  if (name === 'aws-key' || name === 'secrets') return /AKIA[A-Z0-9]{16}/.test(text)
  if (name === 'ssn') return /(?<!\d)\d{3}-\d\d-\d{4}(?!\d)/.test(text)
  if (name === 'credit-card') return /(?<!\d)4111 1111 1111 1111(?!\d)/.test(text)
  if (name === 'email') return /\w@\w+\.org/.test(text)
  if (name === 'pii') return ['ssn', 'credit-card', 'email'].some((one) => detects(one, text))
  throw new Error(`the oracle does not know ${name}`)
}

const comparisons: Record<string, (field: number, bound: number) => boolean> = {
  gt: (field, bound) => field > bound,
  gte: (field, bound) => field >= bound,
  lt: (field, bound) => field < bound,
  lte: (field, bound) => field <= bound,
}

function patternMatches(pattern: string, text: string): boolean {
  const ignoresCase = pattern.startsWith('(?i)')
  return new RegExp(ignoresCase ? pattern.slice(4) : pattern, ignoresCase ? 'i' : '').test(text)
}

function select(selector: string, call: OracleCall): unknown {
  const [root = '', ...path] = selector.split('.')
  if (selector === 'environment') return call.environment ?? 'production'
  if (selector === 'tool.name') return call.toolName
  if (selector === 'output.text') return toText(call.output)
  if (path.length === 0) return undefined
  if (root === 'args') return walk(call.args, path)
  if (root === 'metadata') return walk(call.metadata, path)
  if (root === 'result') return walk(call.output, path)
  if (root === 'env') return convert(call.variables?.[path.join('.')])
  if (root !== 'principal') return undefined
  if (path[0] === 'claims') return path.length > 1 ? walk(call.principal, path) : undefined
  const fields = new Map(Object.entries({ user_id: 'userId', service_id: 'serviceId', org_id: 'orgId' }))
  fields.set('role', 'role').set('ticket_ref', 'ticketRef')
  return call.principal?.[fields.get(path.join('.')) ?? '']
}

function walk(value: unknown, path: readonly string[]): unknown {
  let current = value
  for (const step of path) {
    if (typeof current !== 'object' || current === null || Array.isArray(current)) return undefined
    if (!Object.hasOwn(current, step)) return undefined
    current = (current as Record<string, unknown>)[step]
  }
  return current
}

function convert(text: string | undefined): unknown {
  if (text === undefined) return undefined
  if (text.toLowerCase() === 'true') return true
  if (text.toLowerCase() === 'false') return false
  if (/^\s*[+-]?\d+\s*$/.test(text)) return Number.isSafeInteger(Number(text)) ? Number(text) : text
  return /^\s*[+-]?\d+\.\d+\s*$/.test(text) ? Number(text) : text
}

function toText(output: unknown): unknown {
  if (isMissing(output)) return undefined
  return typeof output === 'string' ? output : JSON.stringify(output)
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null
}

function areEqual(left: unknown, right: unknown): boolean {
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null)
    return left === right
  const entries = Object.entries(left)
  if (Array.isArray(left) !== Array.isArray(right) || entries.length !== Object.keys(right).length)
    return false
  const others = new Map(Object.entries(right))
  return entries.every(([key, value]) => others.has(key) && areEqual(value, others.get(key)))
}

function globMatches(pattern: string, name: string): boolean {
  if (pattern === '') return name === ''
  if (pattern.startsWith('*')) {
    return globMatches(pattern.slice(1), name) || (name !== '' && globMatches(pattern, name.slice(1)))
  }
  if (name === '') return false
  const end = pattern.startsWith('[') ? pattern.indexOf(']', 2) : -1
  if (end !== -1) {
    return (
      classMatches(pattern.slice(1, end), name.charAt(0)) &&
      globMatches(pattern.slice(end + 1), name.slice(1))
    )
  }
  return ['?', name.charAt(0)].includes(pattern.charAt(0)) && globMatches(pattern.slice(1), name.slice(1))
}

function classMatches(members: string, character: string): boolean {
  if (members.startsWith('!')) return !classMatches(members.slice(1), character)
  const [low = '', dash, high] = members
  if (dash === '-' && high !== undefined) {
    return (low <= character && character <= high) || classMatches(members.slice(3), character)
  }
  return members !== '' && (low === character || classMatches(members.slice(1), character))
}
