// Masks parts of a tool's result without changing its shape: texts inside lists, mappings, errors and buffers are
// rewritten in a copy; the original is never touched.
import { redactedText } from './redacted-text.js'

/** Rewrites one text, which may be the value of a field; returns it unchanged when there is nothing to mask. */
export type TextRedactor = (text: string, field?: string) => string

/** Deeper data is masked whole: what was not looked at is not shown. */
const deepest = 200

export function redactValue(value: unknown, redact: TextRedactor): unknown {
  return new ValueRedactor(redact).redact(value, 0)
}

class ValueRedactor {
  readonly #redactText: TextRedactor
  /** Copies by original, so that data which contains itself ends up containing its own copy. */
  readonly #copies = new Map<object, unknown>()

  constructor(redact: TextRedactor) {
    this.#redactText = redact
  }

  redact(value: unknown, depth: number, field?: string): unknown {
    if (typeof value === 'string') return this.#redactText(value, field)
    if (typeof value === 'number' || typeof value === 'bigint') {
      const text = String(value)
      const masked = this.#redactText(text, field)
      return masked === text ? value : masked
    }
    if (typeof value !== 'object' || value === null) return value
    const known = this.#copies.get(value)
    if (known !== undefined) return known
    return depth > deepest ? redactedText : this.#structure(value, depth + 1)
  }

  #structure(value: object, depth: number): unknown {
    if (Array.isArray(value)) {
      const copy = this.#remember(value, [] as unknown[])
      for (const item of value) copy.push(this.redact(item, depth))
      return copy
    }
    if (value instanceof Uint8Array) return this.#bytes(value)
    // oxlint-disable-next-line no-restricted-globals -- no clock is read: dates hold no text to mask
    if (value instanceof Date || value instanceof RegExp) return value
    if (value instanceof Map) {
      const copy = this.#remember(value, new Map<unknown, unknown>())
      for (const [key, item] of value)
        copy.set(this.redact(key, depth), this.redact(item, depth, typeof key === 'string' ? key : undefined))
      return copy
    }
    if (value instanceof Set) {
      const copy = this.#remember(value, new Set<unknown>())
      for (const item of value) copy.add(this.redact(item, depth))
      return copy
    }
    return this.#fields(value, depth)
  }

  /** Keeps the prototype, so that an error stays an error of its class. Accessors are read once, as data. */
  #fields(value: object, depth: number): unknown {
    const copy = this.#remember(value, Object.create(Object.getPrototypeOf(value) as object | null) as object)
    const names = value instanceof Error ? Object.getOwnPropertyNames(value) : Object.keys(value)
    for (const name of names) {
      Object.defineProperty(copy, this.#redactText(name), {
        value: this.redact((value as Record<string, unknown>)[name], depth, name),
        enumerable: Object.prototype.propertyIsEnumerable.call(value, name),
        configurable: true,
        writable: true,
      })
    }
    return copy
  }

  /** Bytes are read as UTF-8; when that changes nothing they are returned as they were, text or not. */
  #bytes(bytes: Uint8Array): Uint8Array {
    const text = new TextDecoder().decode(bytes)
    const masked = this.#redactText(text)
    if (masked === text) return bytes
    const copy = new TextEncoder().encode(masked)
    // A Buffer stays a Buffer: the copy gets the prototype of the original.
    return Object.setPrototypeOf(copy, Object.getPrototypeOf(bytes) as object | null) as Uint8Array
  }

  #remember<Copy>(value: object, copy: Copy): Copy {
    this.#copies.set(value, copy)
    return copy
  }
}
