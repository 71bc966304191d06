// Selector text → a reader of the scene, resolved at load time. Only own properties are ever followed.
import { isNormalForm } from '../../contracts/selectors.js'
import type { Principal, ToolEnvelope } from '../envelope.js'
import { readNormalForm } from '../sandbox/normal-forms.js'
import type { Scene } from './scene.js'

/** The selected value; undefined or null means missing. */
export type Read = (scene: Scene) => unknown

/** Registered under a prefix; what it returns is walked by the rest of the selector. */
export type CustomSelector = (envelope: ToolEnvelope) => unknown

export function compileSelector(selector: string, custom: ReadonlyMap<string, CustomSelector>): Read {
  if (selector === 'environment') return (scene) => scene.envelope.environment
  if (selector === 'tool.name') return (scene) => scene.envelope.toolName
  if (selector === 'output.text') {
    return ({ output }) => (output?.value === undefined || output.value === null ? undefined : output.text)
  }
  if (isNormalForm(selector)) {
    const form = readNormalForm[selector]
    return ({ facts }) => form(facts)
  }
  const dot = selector.indexOf('.')
  if (dot === -1) return missing
  const prefix = selector.slice(0, dot)
  const rest = selector.slice(dot + 1)
  const steps = rest.split('.')
  const [first = ''] = steps
  switch (prefix) {
    case 'args':
      if (steps.length === 1) return (scene) => own(scene.envelope.args, first)
      return (scene) => walk(scene.envelope.args, steps)
    case 'metadata':
      return (scene) => walk(scene.envelope.metadata, steps)
    case 'result':
      return (scene) => walk(scene.output?.value, steps)
    case 'env':
      return (scene) => coerceVariable(scene.readVariable(rest))
    case 'principal':
      return compilePrincipalSelector(steps)
    default: {
      const resolve = custom.get(prefix)
      return resolve === undefined
        ? missing
        : (scene) => walk(settled(resolve(scene.envelope), prefix), steps)
    }
  }
}

const missing: Read = () => undefined

const principalFields = new Map<string, (principal: Principal) => string | null>([
  ['user_id', (principal) => principal.userId],
  ['service_id', (principal) => principal.serviceId],
  ['org_id', (principal) => principal.orgId],
  ['role', (principal) => principal.role],
  ['ticket_ref', (principal) => principal.ticketRef],
])

function compilePrincipalSelector(steps: readonly string[]): Read {
  const [first = '', ...deeper] = steps
  if (first === 'claims' && deeper.length > 0) {
    return ({ envelope: { principal } }) => (principal === null ? undefined : walk(principal.claims, deeper))
  }
  const field = principalFields.get(first)
  if (field === undefined || deeper.length > 0) return missing
  return ({ envelope: { principal } }) => (principal === null ? undefined : field(principal))
}

function walk(from: unknown, steps: readonly string[]): unknown {
  let value = from
  for (const step of steps) {
    value = own(value, step)
    if (value === undefined || value === null) return undefined
  }
  return value
}

/** Lists are not walkable, and the prototype chain is never followed: `args.constructor` is simply missing. */
function own(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined
}

/** A promise has no fields to walk; reading it as "missing" would silently switch the contract off. */
function settled(value: unknown, prefix: string): unknown {
  if (typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function') {
    throw new TypeError(`custom selector ${prefix} returned a promise; selectors are synchronous`)
  }
  return value
}

const integer = /^[+-]?\d+$/
const decimal = /^[+-]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?$/

/** Variables are text; what reads as a boolean or an exactly representable number is compared as one. */
function coerceVariable(text: string | undefined): unknown {
  if (text === undefined || text === '') return text
  const trimmed = text.trim()
  const word = trimmed.toLowerCase()
  if (word === 'true') return true
  if (word === 'false') return false
  if (integer.test(trimmed)) {
    const value = Number(trimmed)
    return Number.isSafeInteger(value) ? value : text
  }
  return decimal.test(trimmed) ? Number(trimmed) : text
}
