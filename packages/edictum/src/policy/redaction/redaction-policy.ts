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

/**
 * Tokens whose form gives them away, wherever they stand. Repetitions are bounded, so that a text made of their
 * beginnings costs no more than its length times a constant.
 */
const tokenForms = [
  'sk-[a-zA-Z0-9_-]{20,512}',
  'sk_(?:live|test)_[a-zA-Z0-9]{16,128}',
  'AKIA[A-Z0-9]{16}',
  'AIza[a-zA-Z0-9_-]{30,64}',
  'gh[pousr]_[a-zA-Z0-9]{30,255}',
  'github_pat_[a-zA-Z0-9_]{20,255}',
  'xox[abps]-[a-zA-Z0-9-]{10,255}',
  String.raw`eyJ[a-zA-Z0-9_-]{10,1024}\.[a-zA-Z0-9_.-]{0,4096}`,
].join('|')
const secretValue = new RegExp(`^(?:${tokenForms})`)

/** Secrets inside a text; the part that says what they are stays readable. */
const secretsInText: readonly Masking[] = [
  [new RegExp(`(?<![a-zA-Z0-9])(?:${tokenForms})`, 'g'), redactedText],
  [
    /(\bexport\s+\w{1,256}=)\S+/g,
    (whole, name) => (/KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL/.test(name) ? name + redactedText : whole),
  ],
  // `-p` is a password for these programs only; for most others it is something harmless.
  [
    /(\b(?:mysql|mariadb|mongo|sshpass|smbclient)\w{0,16}\s(?:[^\n;|&]{0,200}?\s)?-p\s*)\S+/g,
    `$1${redactedText}`,
  ],
  [/(--password[= ])\S+/g, `$1${redactedText}`],
  [/(authorization["']?\s{0,8}[:=]\s{0,8}["']?(?:bearer\s+|basic\s+)?)[^\s"']+/gi, `$1${redactedText}`],
  [/(:\/\/[\w.%+-]{0,256}:)[^\s@/]{1,1024}(@)/g, `$1${redactedText}$2`],
]

/** What every text has that one of the patterns above could match; most texts have none of it. */
const secretHint =
  /export|-p|--password|:\/\/|uthorization|UTHORIZATION|sk[-_]|AKIA|AIza|gh[pousr]_|github_pat_|xox|eyJ/

/** Only the beginning of a long text is kept, so no more than twice that has to be looked at. */
const scannedFor = (kept: number) => 2 * kept + 4_096

const longestText = 1_000
const longestDepth = 64

/** One choke point for everything that is shown, stored, logged or thrown. */
export class RedactionPolicy {
  readonly #isSensitiveKey: KeyTest
  readonly #patterns: readonly Masking[]
  readonly #detectSecretValues: boolean
  readonly #hasCustomPatterns: boolean

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
    this.#hasCustomPatterns = custom.length > 0
    this.#patterns = [...custom, ...secretsInText]
  }

  isSensitiveKey(key: string): boolean {
    return this.#isSensitiveKey(key)
  }

  looksLikeSecret(text: string): boolean {
    return this.#detectSecretValues && secretValue.test(text)
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
    if (!this.#hasCustomPatterns && !secretHint.test(command)) return command
    let text = command
    for (const [pattern, replacement] of this.#patterns) {
      // The two overloads of replace take the same call.
      text = text.replace(pattern, replacement as string)
    }
    return text
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
    if (secretValue.test(text)) return redactedText
    return cut(this.redactBashCommand(text.slice(0, scannedFor(longest))), longest)
  }
}

export function cut(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength - 3)}...` : text
}
