// Data of a caller, copied once and frozen: nothing can change it between the judgement and the run.
import { EdictumConfigError } from '../contracts/config-error.js'

const deepest = 100
const largest = 1_000_000

/** Shared wherever there is nothing to copy. */
export const noFields: Readonly<Record<string, unknown>> = Object.freeze({})

/** A frozen copy of plain data. Accessors and proxies are read exactly once; class instances become plain fields. */
export function frozenCopy(
  value: Readonly<Record<string, unknown>>,
  what: string,
): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw EdictumConfigError.of('invalid-call', `${what} must be a mapping`)
  }
  try {
    return new Copier(what).copyFields(value, 0)
  } catch (error) {
    if (error instanceof EdictumConfigError) throw error
    throw EdictumConfigError.of(
      'invalid-call',
      `${what} cannot be copied: ${error instanceof Error ? error.message : 'unknown reason'}`,
    )
  }
}

class Copier {
  readonly #what: string
  #copied = 0

  constructor(what: string) {
    this.#what = what
  }

  copyFields(value: object, depth: number): Readonly<Record<string, unknown>> {
    const copy: Record<string, unknown> = {}
    for (const key of Object.keys(value)) {
      const field = this.#copy((value as Record<string, unknown>)[key], depth + 1)
      if (key === '__proto__') Object.defineProperty(copy, key, { value: field, enumerable: true })
      else copy[key] = field
    }
    return Object.freeze(copy)
  }

  #copy(value: unknown, depth: number): unknown {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
    if (value === null || value === undefined || typeof value === 'bigint') return value
    if (typeof value !== 'object') throw this.#refuse(`contain a ${typeof value}`)
    // Data that contains itself is endlessly deep, so one bound covers both.
    if (depth > deepest) throw this.#refuse(`nest more than ${deepest} levels deep or contain themselves`)
    if (++this.#copied > largest) throw this.#refuse(`hold more than ${largest} values`)
    if (Array.isArray(value))
      return Object.freeze(Array.from(value, (item: unknown) => this.#copy(item, depth + 1)))
    if (value instanceof Date) return new Date(value.getTime())
    if (value instanceof Uint8Array) return value.slice()
    if (value instanceof Map || value instanceof Set || value instanceof Promise) {
      throw this.#refuse(`contain a ${value.constructor.name}, which cannot be frozen`)
    }
    return this.copyFields(value, depth)
  }

  #refuse(why: string): EdictumConfigError {
    return EdictumConfigError.of(
      'invalid-call',
      `${this.#what} ${why}`,
      'pass plain data: text, numbers, booleans, lists and mappings',
    )
  }
}
