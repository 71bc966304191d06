// What may not leave the process in clear: by the name of a field, and by what a text looks like.
import { compileKeyTest, type KeyTest } from './sensitive-keys.js'

export const redactedText = '[REDACTED]'

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

type Masking = readonly [pattern: RegExp, replacement: string | ((whole: string, group: string) => string)]

/** A whole value that looks like one of these is a secret. */
const secretValue =
  /^(?:sk-[a-zA-Z0-9_-]{20,}|AKIA[A-Z0-9]{16}|eyJ[a-zA-Z0-9_-]{20,}\.|ghp_[a-zA-Z0-9]{36}|xox[bpas]-[a-zA-Z0-9-]{10,})/

/** Secrets inside a command line; the part that says what it is stays readable. Each pattern is linear in its input. */
const commandSecrets: readonly Masking[] = [
  [
    /(\bexport\s+\w{1,256}=)\S+/g,
    (whole, name) => (/KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL/.test(name) ? name + redactedText : whole),
  ],
  [/((?:^|\s)-p\s*|--password[= ])[^\s]+/g, '$1[REDACTED]'],
  [/(:\/\/[\w.%+-]{0,256}:)[^\s@/]{1,1024}(@)/g, '$1[REDACTED]$2'],
]

const longestText = 1_000
const longestDepth = 64

/** One choke point for everything that is shown, stored, logged or thrown. */
export class RedactionPolicy {
  readonly #isSensitiveKey: KeyTest
  readonly #patterns: readonly Masking[]
  readonly #detectSecretValues: boolean

  constructor(options: RedactionOptions = {}) {
    this.#isSensitiveKey = compileKeyTest(options.sensitiveKeys, options.safeCompoundKeys)
    this.#detectSecretValues = options.detectSecretValues ?? true
    const custom = [...(options.customPatterns ?? [])].map(
      ([pattern, replacement]) =>
        [
          new RegExp(pattern.source, pattern.flags.includes('g') ? pattern.flags : `${pattern.flags}g`),
          replacement,
        ] as const,
    )
    this.#patterns = [...custom, ...commandSecrets]
  }

  isSensitiveKey(key: string): boolean {
    return this.#isSensitiveKey(key)
  }

  looksLikeSecret(text: string): boolean {
    return this.#detectSecretValues && secretValue.test(text)
  }

  /** A copy of plain data in which sensitive fields and secret-looking texts are masked and long texts cut. */
  redactArgs(value: unknown): unknown {
    return this.#redact(value, 0)
  }

  /** A single value as it may be shown, judged by the field it came from. */
  redactField(key: string, value: unknown): unknown {
    return this.#isSensitiveKey(key) ? redactedText : this.#redact(value, 0)
  }

  redactBashCommand(command: string): string {
    let text = command
    for (const [pattern, replacement] of this.#patterns) {
      // The two overloads of replace take the same call.
      text = text.replace(pattern, replacement as string)
    }
    return text
  }

  redactResult(text: string, maxLength = 500): string {
    return cut(this.redactBashCommand(text), maxLength)
  }

  #redact(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return this.#redactText(value)
    if (typeof value !== 'object' || value === null) return value
    if (depth > longestDepth) return redactedText
    if (Array.isArray(value)) return value.map((item) => this.#redact(item, depth + 1))
    const copy: Record<string, unknown> = {}
    for (const [key, field] of Object.entries(value)) {
      const masked = this.#isSensitiveKey(key) ? redactedText : this.#redact(field, depth + 1)
      if (key === '__proto__') Object.defineProperty(copy, key, { value: masked, enumerable: true })
      else copy[key] = masked
    }
    return copy
  }

  #redactText(text: string): string {
    if (!this.#detectSecretValues) return cut(text, longestText)
    return secretValue.test(text) ? redactedText : cut(this.redactBashCommand(text), longestText)
  }
}

export function cut(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength - 3)}...` : text
}
