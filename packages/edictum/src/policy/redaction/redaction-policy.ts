// What may not leave the process in clear: by the name of a field, and by what a text looks like.
import { type DetectorSet, detectorSet } from './detectors/detector-set.js'
import { redactedText } from './redacted-text.js'
import { compileKeyTest, type KeyTest } from './sensitive-keys.js'

export interface RedactionOptions {
  /** Field names that are sensitive in addition to the built-in ones. */
  readonly sensitiveKeys?: Iterable<string>
  /** Field names that are harmless although they contain a sensitive word. */
  readonly safeCompoundKeys?: Iterable<string>
  /** Pairs of pattern and replacement, applied before the built-in ones; `$1` refers to a group. */
  readonly customPatterns?: Iterable<readonly [RegExp, string]>
  /** @default true */
  readonly detectSecretValues?: boolean
}

type Masking = readonly [pattern: RegExp, replacement: string]

/** Everything that is a secret by its form or by what stands before it. */
let secrets: DetectorSet | undefined

function secretDetectors(): DetectorSet {
  secrets ??= detectorSet(['secrets'])
  return secrets
}

/** Only the beginning of a long text is kept, so no more than twice that has to be looked at. */
const scannedFor = (kept: number) => 2 * kept + 4_096

const longestText = 1_000
const longestDepth = 64

/** One choke point for everything that is shown, stored, logged or thrown. */
export class RedactionPolicy {
  readonly #isSensitiveKey: KeyTest
  readonly #customPatterns: readonly Masking[]
  readonly #detectSecretValues: boolean

  constructor(options: RedactionOptions = {}) {
    this.#isSensitiveKey = compileKeyTest(options.sensitiveKeys, options.safeCompoundKeys)
    this.#detectSecretValues = options.detectSecretValues ?? true
    this.#customPatterns = [...(options.customPatterns ?? [])].map(
      ([pattern, replacement]) =>
        [
          new RegExp(pattern.source, pattern.flags.includes('g') ? pattern.flags : `${pattern.flags}g`),
          replacement,
        ] as const,
    )
  }

  isSensitiveKey(key: string): boolean {
    return this.#isSensitiveKey(key)
  }

  looksLikeSecret(text: string): boolean {
    return this.#detectSecretValues && secretDetectors().beginsWithToken(text)
  }

  /** A copy of plain data in which sensitive fields and secret-looking texts are masked and long texts cut. */
  redactArgs(value: unknown): unknown {
    return this.#redact(value, 0, longestText)
  }

  /** The same for data that is kept whole: nothing is cut, and every text is looked at to its end. */
  redactWhole(value: unknown): unknown {
    return this.#redact(value, 0, Number.POSITIVE_INFINITY)
  }

  /** A single value as it may be shown, judged by the field it came from. */
  redactField(key: string, value: unknown): unknown {
    return this.#isSensitiveKey(key) ? redactedText : this.#redact(value, 0, longestText)
  }

  redactBashCommand(command: string): string {
    let text = command
    for (const [pattern, replacement] of this.#customPatterns) text = text.replace(pattern, replacement)
    return secretDetectors().redact(text)
  }

  redactResult(text: string, maxLength = 500): string {
    return cut(this.redactBashCommand(text.slice(0, scannedFor(maxLength))), maxLength)
  }

  #redact(value: unknown, depth: number, longest: number): unknown {
    if (typeof value === 'string') return this.#redactText(value, longest)
    if (typeof value !== 'object' || value === null) return value
    if (depth > longestDepth) return redactedText
    // oxlint-disable-next-line no-restricted-globals -- no clock is read: a date is shown as it is
    if (value instanceof Date) return value
    if (value instanceof Uint8Array) return `<${value.byteLength} bytes>`
    if (Array.isArray(value)) {
      // Headers are often given as pairs of name and value.
      const [name] = value as readonly unknown[]
      if (value.length === 2 && typeof name === 'string' && this.#isSensitiveKey(name))
        return [name, redactedText]
      return value.map((item) => this.#redact(item, depth + 1, longest))
    }
    return this.#redactFields(value as Readonly<Record<string, unknown>>, depth, longest)
  }

  #redactFields(value: Readonly<Record<string, unknown>>, depth: number, longest: number): unknown {
    const copy: Record<string, unknown> = {}
    let isChanged = false
    for (const key of Object.keys(value)) {
      const field = value[key]
      const masked = this.#isSensitiveKey(key) ? redactedText : this.#redact(field, depth + 1, longest)
      isChanged ||= masked !== field
      if (key === '__proto__') Object.defineProperty(copy, key, { value: masked, enumerable: true })
      else copy[key] = masked
    }
    // Frozen data in which nothing had to be masked is its own redacted copy.
    return isChanged || !Object.isFrozen(value) ? copy : value
  }

  #redactText(text: string, longest: number): string {
    if (!this.#detectSecretValues) return cut(text, longest)
    const scanned = text.slice(0, scannedFor(longest))
    if (this.#customPatterns.length === 0 && !secretDetectors().mayFind(scanned)) return cut(text, longest)
    if (secretDetectors().beginsWithToken(text)) return redactedText
    return cut(this.redactBashCommand(scanned), longest)
  }
}

export function cut(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength - 3)}...` : text
}
