// Collects what is wrong with a document while it is walked, and reads fields in the few ways the language needs.
import { closestWord } from '../internal/closest-word.js'
import { pathOf, type Problem, quoted, type Trail } from './diagnostic.js'

export type Mapping = Readonly<Record<string, unknown>>

type ProblemDetails = Pick<Problem, 'message'> &
  Partial<Pick<Problem, 'at' | 'expected' | 'hint' | 'offsetInValue' | 'related'>>

/** Beyond this many the document is beyond repair by reading messages; the rest is counted, not kept. */
const keptProblems = 500

export class Findings {
  readonly problems: Problem[] = []

  add(code: Problem['code'], trail: Trail | undefined, details: string | ProblemDetails): void {
    if (this.problems.length >= keptProblems) return
    const problem = typeof details === 'string' ? { message: details } : details
    this.problems.push({ code, path: pathOf(trail), at: 'value', ...problem })
  }

  /** Reads a mapping, reporting anything else. */
  mapping(value: unknown, trail: Trail | undefined, what: string): Mapping | undefined {
    if (isMapping(value)) return value
    this.add('wrong-type', trail, {
      message: `${what} must be a mapping, not ${describe(value)}`,
      expected: 'a mapping',
    })
    return undefined
  }

  /** Reports every key of the mapping that is not a known field, with the field its author may have meant. */
  knownFields(mapping: Mapping, trail: Trail | undefined, fields: FieldNames): void {
    for (const key of Object.keys(mapping)) {
      if (fields.known.has(key)) continue
      const meant = closestWord(key, fields.known)
      const hint = fields.hintFor?.(key) ?? (meant === undefined ? undefined : `did you mean \`${meant}\`?`)
      this.add(
        'unknown-field',
        { parent: trail, step: key },
        {
          message: `unknown field ${quoted(key)} in ${fields.of}`,
          at: 'key',
          expected: `one of ${[...fields.known].join(', ')}`,
          ...(hint === undefined ? {} : { hint }),
        },
      )
    }
  }

  /** Whether the field is there (null counts as absent); reports it when it is not. */
  required(
    mapping: Mapping,
    field: string,
    at: { readonly trail: Trail | undefined; readonly of: string },
  ): boolean {
    if (present(mapping, field)) return true
    if (Object.hasOwn(mapping, field)) {
      this.add(
        'missing-field',
        { parent: at.trail, step: field },
        { message: `\`${field}\` of ${at.of} has no value`, at: 'key' },
      )
    } else {
      this.add('missing-field', at.trail, `${at.of} needs \`${field}\``)
    }
    return false
  }

  /** Reads a text of limited length; undefined when absent or wrong. */
  text(value: unknown, trail: Trail, rule: TextRule): string | undefined {
    if (typeof value !== 'string') {
      this.add('wrong-type', trail, {
        message: `\`${rule.field}\` must be text, not ${describe(value)}`,
        expected: 'text',
        ...(typeof value === 'number' || typeof value === 'boolean'
          ? { hint: `put it in quotes: "${String(value)}"` }
          : {}),
      })
      return undefined
    }
    if (value === '') {
      this.add('invalid-value', trail, `\`${rule.field}\` is empty`)
      return undefined
    }
    if (rule.maxLength !== undefined && value.length > rule.maxLength && [...value].length > rule.maxLength) {
      this.add(
        'invalid-value',
        trail,
        `\`${rule.field}\` is ${[...value].length} characters long; at most ${rule.maxLength} are allowed`,
      )
      return undefined
    }
    if (rule.pattern !== undefined && !rule.pattern.test(value)) {
      this.add('invalid-value', trail, {
        message: `\`${rule.field}\` cannot be ${quoted(value)}`,
        ...(rule.expected === undefined ? {} : { expected: rule.expected }),
      })
      return undefined
    }
    return value
  }

  /** Reads one of a few words; undefined when wrong. */
  oneOf<Word extends string>(value: unknown, trail: Trail, rule: WordRule<Word>): Word | undefined {
    const word = rule.words.find((candidate) => candidate === value)
    if (word !== undefined) return word
    const meant = typeof value === 'string' ? closestWord(value, rule.words) : undefined
    const special = typeof value === 'string' ? rule.hintFor?.(value) : undefined
    const hint = special ?? (meant === undefined ? undefined : `did you mean \`${meant}\`?`)
    this.add(rule.code ?? (typeof value === 'string' ? 'invalid-value' : 'wrong-type'), trail, {
      message: `\`${rule.field}\` cannot be ${typeof value === 'string' ? quoted(value) : describe(value)}${rule.where ?? ''}`,
      expected: rule.words.join(' or '),
      ...(hint === undefined ? {} : { hint }),
    })
    return undefined
  }

  boolean(value: unknown, trail: Trail, field: string): boolean | undefined {
    if (typeof value === 'boolean') return value
    this.add('wrong-type', trail, {
      message: `\`${field}\` must be true or false, not ${describe(value)}`,
      expected: 'true or false',
    })
    return undefined
  }

  /** Reads a whole number of at least 1. Booleans are not numbers; fractions and infinities are refused. */
  count(value: unknown, trail: Trail, field: string): number | undefined {
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return value
    const code = typeof value === 'number' ? 'invalid-value' : 'wrong-type'
    this.add(code, trail, {
      message: `\`${field}\` must be a whole number of at least 1, not ${describe(value)}`,
      expected: 'a whole number of at least 1',
    })
    return undefined
  }

  /** Reads a list of non-empty texts. Every wrong entry is reported: dropping one would switch off enforcement. */
  texts(value: unknown, trail: Trail, rule: ListRule): readonly string[] | undefined {
    const items = this.list(value, trail, rule)
    if (items === undefined) return undefined
    const entry = { field: `an entry of ${rule.field}` }
    const texts = items.map((item, index) => this.text(item, { parent: trail, step: index }, entry))
    return texts.every((text) => text !== undefined) ? texts : undefined
  }

  list(value: unknown, trail: Trail, rule: ListRule): readonly unknown[] | undefined {
    if (!Array.isArray(value)) {
      this.add('wrong-type', trail, {
        message: `\`${rule.field}\` must be a list, not ${describe(value)}`,
        expected: 'a list',
      })
      return undefined
    }
    if (value.length === 0 && rule.empty !== 'allowed') {
      this.add('empty-list', trail, {
        message: `\`${rule.field}\` is an empty list; it needs at least one entry`,
        at: 'key',
      })
      return undefined
    }
    return value
  }
}

export interface FieldNames {
  readonly known: ReadonlySet<string>
  readonly of: string
  readonly hintFor?: (key: string) => string | undefined
}

export interface TextRule {
  readonly field: string
  readonly maxLength?: number
  readonly pattern?: RegExp
  readonly expected?: string
}

export interface WordRule<Word extends string> {
  readonly field: string
  readonly words: readonly Word[]
  readonly code?: 'invalid-effect'
  readonly where?: string
  /** What to do about a word that is none of them. */
  readonly hintFor?: (word: string) => string | undefined
}

export interface ListRule {
  readonly field: string
  readonly empty?: 'allowed'
}

export function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether there is nothing in the mapping but known fields: the usual case, for which no message need be prepared. */
export function hasOnly(mapping: Mapping, known: ReadonlySet<string>): boolean {
  for (const key of Object.keys(mapping)) if (!known.has(key)) return false
  return true
}

/** YAML's `field:` with nothing after it reads as null, which is the same as leaving the field out. */
export function present(mapping: Mapping, field: string): boolean {
  return Object.hasOwn(mapping, field) && mapping[field] !== null && mapping[field] !== undefined
}

export function describe(value: unknown): string {
  if (value === null || value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  switch (typeof value) {
    case 'string':
      return `the text ${quoted(value)}`
    case 'number':
      return `the number ${value}`
    case 'boolean':
      return `the boolean ${value}`
    default:
      return 'a mapping'
  }
}
