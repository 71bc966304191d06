// Checks one entry of the contract list: dispatches on `type`, so that every message names the field at fault.
import {
  type ApprovalTerms,
  type Condition,
  type Consequence,
  type Contract,
  contractDefaults,
  type ContractType,
  type Mode,
  type PostContract,
  type PreContract,
  type SandboxContract,
  type SessionContract,
  type SessionLimits,
} from './bundle.js'
import { ConditionChecker } from './check-condition.js'
import { quoted, type Trail } from './diagnostic.js'
import { type FieldNames, type Findings, hasOnly, isMapping, type Mapping, present } from './findings.js'
import { translate, type Words } from './words.js'

export const idPattern = /^[a-z0-9][a-z0-9_-]*$/
export const maxMessageLength = 500
export const maxNameLength = 10_000

const commonFields = ['id', 'type', 'enabled', 'mode']
const ownFields = {
  pre: ['tool', 'when', 'then'],
  post: ['tool', 'when', 'then'],
  session: ['limits', 'then'],
  sandbox: ['tool', 'tools', 'within', 'not_within', 'allows', 'not_allows', 'outside', 'message', 'timeout'],
} as const satisfies Record<ContractType, readonly string[]>

const contractTypes = Object.keys(ownFields) as readonly ContractType[]

const idRule = {
  field: 'id',
  maxLength: maxNameLength,
  pattern: idPattern,
  expected: 'lower-case letters, digits, `-` and `_`, starting with a letter or digit',
}
const typeRule = { field: 'type', words: contractTypes }
const modeRule = { field: 'mode', words: ['enforce', 'observe'] } as const
const toolRule = { field: 'tool', maxLength: maxNameLength }
const messageRule = { field: 'message', maxLength: maxMessageLength }
const tagsRule = { field: 'tags', empty: 'allowed' } as const

export interface ContractRules {
  readonly words: Words
  readonly customOperators: ReadonlySet<string>
}

export class ContractChecker {
  readonly #findings: Findings
  readonly #words: Words
  readonly #customOperators: ReadonlySet<string>
  readonly #fields: Record<ContractType, ReadonlySet<string>>
  readonly #thenFields: { readonly plain: ReadonlySet<string>; readonly withApproval: ReadonlySet<string> }
  /** For a word of the language's other generation. */
  readonly #hintForWord = (written: string): string | undefined => {
    const word = translate(written, this.#words)
    return word === undefined ? undefined : `in a ${this.#words.kind} this is called \`${word}\``
  }

  constructor(findings: Findings, rules: ContractRules) {
    this.#findings = findings
    this.#words = rules.words
    this.#customOperators = rules.customOperators
    const fieldsOf = (type: ContractType) =>
      new Set([...commonFields, ...ownFields[type], ...(type === 'sandbox' ? rules.words.timeoutEffect : [])])
    const thenFields = [rules.words.effect, 'message', 'tags', 'metadata']
    this.#thenFields = {
      plain: new Set(thenFields),
      withApproval: new Set([...thenFields, 'timeout', ...rules.words.timeoutEffect]),
    }
    this.#fields = {
      pre: fieldsOf('pre'),
      post: fieldsOf('post'),
      session: fieldsOf('session'),
      sandbox: fieldsOf('sandbox'),
    }
  }

  /** The checked contract, or undefined when something in it was reported. */
  check(value: unknown, trail: Trail): Contract | undefined {
    const before = this.#findings.problems.length
    const fields = this.#findings.mapping(value, trail, `a ${this.#words.contract}`)
    if (fields === undefined) return undefined
    const identity = this.#identity(fields, trail)
    // An id that was found right needs no more looking at.
    const of = identity === undefined ? this.#name(fields) : `${this.#words.contract} \`${identity.id}\``
    if (!this.#findings.required(fields, 'type', { trail, of })) return undefined
    const type = this.#findings.oneOf(fields['type'], { parent: trail, step: 'type' }, typeRule)
    if (type === undefined) return undefined
    if (!hasOnly(fields, this.#fields[type]))
      this.#findings.knownFields(fields, trail, this.#fieldNames(type, of))
    const contract = this.#own(type, fields, { trail, of, identity: identity ?? unidentified })
    return this.#findings.problems.length > before ? undefined : contract
  }

  #name(fields: Mapping): string {
    const id = fields['id']
    return typeof id === 'string' && id !== ''
      ? `${this.#words.contract} ${quoted(id)}`
      : `the ${this.#words.contract}`
  }

  #fieldNames(type: ContractType, of: string): FieldNames {
    return {
      known: this.#fields[type],
      of: `${type} ${of}`,
      hintFor: (key) => {
        if (key === '_shadow' || key === '_observe') return 'this key is reserved for the product itself'
        const translation = this.#hintForWord(key)
        if (translation !== undefined) return translation
        const owner = contractTypes.find((other) => other !== type && this.#fields[other].has(key))
        return owner === undefined ? undefined : `\`${key}\` belongs to \`type: ${owner}\``
      },
    }
  }

  #identity(fields: Mapping, trail: Trail): Identity | undefined {
    const of = `a ${this.#words.contract}`
    const id = this.#findings.required(fields, 'id', { trail, of })
      ? this.#findings.text(fields['id'], { parent: trail, step: 'id' }, idRule)
      : undefined
    const enabled = Object.hasOwn(fields, 'enabled')
      ? this.#findings.boolean(fields['enabled'], { parent: trail, step: 'enabled' }, 'enabled')
      : true
    const mode = Object.hasOwn(fields, 'mode')
      ? this.#findings.oneOf<Mode>(fields['mode'], { parent: trail, step: 'mode' }, modeRule)
      : undefined
    if (id === undefined || enabled === undefined) return undefined
    return { id, enabled, mode }
  }

  #own(type: ContractType, fields: Mapping, at: ContractPlace): Contract | undefined {
    switch (type) {
      case 'pre':
        return this.#pre(fields, at)
      case 'post':
        return this.#post(fields, at)
      case 'session':
        return this.#session(fields, at)
      case 'sandbox':
        return this.#sandbox(fields, at)
      default:
        return type satisfies never
    }
  }

  #pre(fields: Mapping, at: ContractPlace): PreContract | undefined {
    const { deny, approve } = this.#words
    const tool = this.#tool(fields, at)
    const when = this.#when(fields, at, 'before')
    const then = this.#then(fields, at, { words: [deny, approve], approvals: 'allowed' })
    if (then === undefined || tool === undefined || when === undefined) return undefined
    const { message, tags, metadata } = then
    const { timeoutSeconds, timeoutEffect } = then.terms
    const effect = then.effect === approve ? 'approve' : 'deny'
    const { id, enabled, mode } = at.identity
    return withMode(mode, {
      id,
      enabled,
      type: 'pre',
      tool,
      when,
      then: { effect, message, tags, metadata, timeoutSeconds, timeoutEffect },
    })
  }

  #post(fields: Mapping, at: ContractPlace): PostContract | undefined {
    const { deny } = this.#words
    const tool = this.#tool(fields, at)
    const when = this.#when(fields, at, 'after')
    const then = this.#then(fields, at, { words: ['warn', 'redact', deny], approvals: 'none' })
    if (then === undefined || tool === undefined || when === undefined) return undefined
    const { message, tags, metadata } = then
    const effect = then.effect === deny ? 'deny' : then.effect === 'redact' ? 'redact' : 'warn'
    const { id, enabled, mode } = at.identity
    return withMode(mode, {
      id,
      enabled,
      type: 'post',
      tool,
      when,
      then: { effect, message, tags, metadata },
    })
  }

  #session(fields: Mapping, at: ContractPlace): SessionContract | undefined {
    const limits = this.#findings.required(fields, 'limits', at)
      ? this.#limits(fields['limits'], { parent: at.trail, step: 'limits' }, at.of)
      : undefined
    const then = this.#then(fields, at, { words: [this.#words.deny], approvals: 'none' })
    if (then === undefined || limits === undefined) return undefined
    const { message, tags, metadata } = then
    const { id, enabled, mode } = at.identity
    return withMode(mode, {
      id,
      enabled,
      type: 'session',
      limits,
      then: { effect: 'deny', message, tags, metadata },
    })
  }

  #tool(fields: Mapping, at: Place): string | undefined {
    return this.#findings.required(fields, 'tool', at)
      ? this.#findings.text(fields['tool'], { parent: at.trail, step: 'tool' }, toolRule)
      : undefined
  }

  #when(fields: Mapping, at: Place, stage: 'before' | 'after'): Condition | undefined {
    if (!this.#findings.required(fields, 'when', at)) return undefined
    const checker = new ConditionChecker(this.#findings, {
      of: at.of,
      stage,
      customOperators: this.#customOperators,
    })
    return checker.check(fields['when'], { parent: at.trail, step: 'when' })
  }

  #then(
    fields: Mapping,
    at: Place,
    rule: ThenRule,
  ): (Consequence<string> & { readonly terms: ApprovalTerms }) | undefined {
    if (!this.#findings.required(fields, 'then', at)) return undefined
    const trail = { parent: at.trail, step: 'then' }
    const of = `\`then\` of ${at.of}`
    const then = this.#findings.mapping(fields['then'], trail, of)
    if (then === undefined) return undefined
    const known = rule.approvals === 'allowed' ? this.#thenFields.withApproval : this.#thenFields.plain
    if (!hasOnly(then, known))
      this.#findings.knownFields(then, trail, { known, of, hintFor: this.#hintForWord })
    const effect = this.#effect(then, { trail, of }, rule.words)
    const message = this.#message(then, { trail, of })
    const tags = Object.hasOwn(then, 'tags')
      ? this.#findings.texts(then['tags'], { parent: trail, step: 'tags' }, tagsRule)
      : []
    const metadata = Object.hasOwn(then, 'metadata')
      ? this.#findings.mapping(then['metadata'], { parent: trail, step: 'metadata' }, '`metadata`')
      : {}
    const terms = rule.approvals === 'allowed' ? this.#approvalTerms(then, trail) : defaultTerms
    if (effect === undefined || message === undefined || tags === undefined || metadata === undefined)
      return undefined
    return { effect, message, tags, metadata, terms }
  }

  #effect(then: Mapping, at: Place, words: readonly string[]): string | undefined {
    const field = this.#words.effect
    if (!this.#findings.required(then, field, at)) return undefined
    return this.#findings.oneOf(
      then[field],
      { parent: at.trail, step: field },
      { field, words, code: 'invalid-effect', where: ` in ${at.of}`, hintFor: this.#hintForWord },
    )
  }

  #message(fields: Mapping, at: Place): string | undefined {
    return this.#findings.required(fields, 'message', at)
      ? this.#findings.text(fields['message'], { parent: at.trail, step: 'message' }, messageRule)
      : undefined
  }

  #approvalTerms(fields: Mapping, trail: Trail | undefined): ApprovalTerms {
    const { deny, timeoutEffect: names } = this.#words
    const isWritten = (name: string) => Object.hasOwn(fields, name)
    if (!isWritten('timeout') && !names.some(isWritten)) return defaultTerms
    const written = names.filter(isWritten)
    const timeoutSeconds =
      (Object.hasOwn(fields, 'timeout')
        ? this.#findings.count(fields['timeout'], { parent: trail, step: 'timeout' }, 'timeout')
        : undefined) ?? defaultTerms.timeoutSeconds
    const [name] = written
    if (name === undefined) return { timeoutSeconds, timeoutEffect: defaultTerms.timeoutEffect }
    if (written.length > 1) {
      this.#findings.add(
        'conflicting-fields',
        { parent: trail, step: name },
        { message: `${written.join(' and ')} say the same thing`, at: 'key', hint: `keep \`${names[0]}\`` },
      )
    }
    const effect = this.#findings.oneOf(
      fields[name],
      { parent: trail, step: name },
      { field: name, words: [deny, 'allow'] },
    )
    return { timeoutSeconds, timeoutEffect: effect === 'allow' ? 'allow' : 'deny' }
  }

  #limits(value: unknown, trail: Trail, of: string): SessionLimits | undefined {
    const limits = this.#findings.mapping(value, trail, `\`limits\` of ${of}`)
    if (limits === undefined) return undefined
    const known = new Set(['max_tool_calls', 'max_attempts', 'max_calls_per_tool'])
    this.#findings.knownFields(limits, trail, { known, of: `\`limits\` of ${of}` })
    if (Object.keys(limits).length === 0) {
      this.#findings.add('empty-list', trail, {
        message: `\`limits\` of ${of} is empty`,
        at: 'key',
        expected: `at least one of ${[...known].join(', ')}`,
      })
      return undefined
    }
    const read = (field: string) =>
      Object.hasOwn(limits, field)
        ? this.#findings.count(limits[field], { parent: trail, step: field }, field)
        : undefined
    const maxToolCalls = read('max_tool_calls')
    const maxAttempts = read('max_attempts')
    const maxCallsPerTool = Object.hasOwn(limits, 'max_calls_per_tool')
      ? this.#perTool(limits['max_calls_per_tool'], { parent: trail, step: 'max_calls_per_tool' })
      : undefined
    return {
      ...(maxToolCalls === undefined ? {} : { maxToolCalls }),
      ...(maxAttempts === undefined ? {} : { maxAttempts }),
      ...(maxCallsPerTool === undefined ? {} : { maxCallsPerTool }),
    }
  }

  #perTool(value: unknown, trail: Trail): ReadonlyMap<string, number> | undefined {
    const mapping = this.#findings.mapping(value, trail, '`max_calls_per_tool`')
    if (mapping === undefined) return undefined
    const names = Object.keys(mapping)
    if (names.length === 0) {
      this.#findings.add('empty-list', trail, {
        message: '`max_calls_per_tool` is empty; it needs at least one tool',
        at: 'key',
      })
      return undefined
    }
    const limits = new Map<string, number>()
    for (const name of names) {
      const limit = this.#findings.count(
        mapping[name],
        { parent: trail, step: name },
        `max_calls_per_tool.${name}`,
      )
      if (limit !== undefined) limits.set(name, limit)
    }
    return limits
  }

  #sandbox(fields: Mapping, at: ContractPlace): SandboxContract | undefined {
    const tools = this.#sandboxTools(fields, at)
    const message = this.#message(fields, at)
    const list = (field: 'within' | 'not_within') =>
      Object.hasOwn(fields, field)
        ? (this.#findings.texts(
            fields[field],
            { parent: at.trail, step: field },
            {
              field,
              ...(field === 'not_within' ? { empty: 'allowed' as const } : {}),
            },
          ) ?? [])
        : []
    const within = list('within')
    const notWithin = list('not_within')
    const allows = this.#allowlists(fields, 'allows', at)
    const notAllows = this.#allowlists(fields, 'not_allows', at)
    this.#sandboxCompanions(fields, at)
    const outside = Object.hasOwn(fields, 'outside') ? this.#outside(fields, at) : contractDefaults.outside
    const terms = this.#approvalTerms(fields, at.trail)
    if (tools === undefined || message === undefined || outside === undefined) return undefined
    const { id, enabled, mode } = at.identity
    return withMode(mode, {
      id,
      enabled,
      type: 'sandbox',
      tools,
      within,
      notWithin,
      allows,
      notAllows: notAllows.domains === undefined ? {} : { domains: notAllows.domains },
      outside,
      message,
      ...terms,
    })
  }

  #outside(fields: Mapping, at: Place): 'deny' | 'approve' | undefined {
    const { deny, approve } = this.#words
    const word = this.#findings.oneOf(
      fields['outside'],
      { parent: at.trail, step: 'outside' },
      { field: 'outside', words: [deny, approve], hintFor: this.#hintForWord },
    )
    return word === undefined ? undefined : word === approve ? 'approve' : 'deny'
  }

  #sandboxTools(fields: Mapping, at: Place): readonly string[] | undefined {
    if (Object.hasOwn(fields, 'tool') && Object.hasOwn(fields, 'tools')) {
      this.#findings.add(
        'conflicting-fields',
        { parent: at.trail, step: 'tools' },
        {
          message: `${at.of} has both \`tool\` and \`tools\``,
          at: 'key',
          hint: 'keep one: `tool` for one pattern, `tools` for a list',
        },
      )
    }
    if (present(fields, 'tools')) {
      return this.#findings.texts(fields['tools'], { parent: at.trail, step: 'tools' }, { field: 'tools' })
    }
    if (!present(fields, 'tool')) {
      this.#findings.add('missing-field', at.trail, `${at.of} needs \`tool\` or \`tools\``)
      return undefined
    }
    const tool = this.#tool(fields, at)
    return tool === undefined ? undefined : [tool]
  }

  #allowlists(
    fields: Mapping,
    field: 'allows' | 'not_allows',
    at: Place,
  ): { readonly commands?: readonly string[]; readonly domains?: readonly string[] } {
    if (!Object.hasOwn(fields, field)) return {}
    const trail = { parent: at.trail, step: field }
    const of = `\`${field}\` of ${at.of}`
    const mapping = this.#findings.mapping(fields[field], trail, of)
    if (mapping === undefined) return {}
    this.#findings.knownFields(mapping, trail, {
      known: new Set(field === 'allows' ? ['commands', 'domains'] : ['domains']),
      of,
    })
    const read = (name: 'commands' | 'domains') =>
      Object.hasOwn(mapping, name)
        ? this.#findings.texts(mapping[name], { parent: trail, step: name }, { field: `${field}.${name}` })
        : undefined
    const commands = read('commands')
    const domains = read('domains')
    return { ...(commands === undefined ? {} : { commands }), ...(domains === undefined ? {} : { domains }) }
  }

  /** Fields that only mean something beside another one: alone they would look like a boundary and be none. */
  #sandboxCompanions(fields: Mapping, at: Place): void {
    const allows = isMapping(fields['allows']) ? fields['allows'] : {}
    const notAllows = isMapping(fields['not_allows']) ? fields['not_allows'] : {}
    const needs = (field: string, companion: string) =>
      this.#findings.add(
        'missing-companion',
        { parent: at.trail, step: field },
        {
          message: `\`${field}\` of ${at.of} needs \`${companion}\``,
          at: 'key',
          hint: `\`${field}\` only takes something away from \`${companion}\``,
        },
      )
    const hasWithin = Object.hasOwn(fields, 'within')
    if (Object.hasOwn(fields, 'not_within') && !hasWithin) needs('not_within', 'within')
    if (Object.hasOwn(fields, 'not_allows')) {
      if (!Object.hasOwn(fields, 'allows')) needs('not_allows', 'allows')
      else if (Object.hasOwn(notAllows, 'domains') && !Object.hasOwn(allows, 'domains')) {
        needs('not_allows', 'allows.domains')
      }
    }
    const hasAllows = Object.hasOwn(allows, 'commands') || Object.hasOwn(allows, 'domains')
    if (!hasWithin && !hasAllows) {
      this.#findings.add(
        'missing-field',
        Object.hasOwn(fields, 'allows') ? { parent: at.trail, step: 'allows' } : at.trail,
        {
          message: `${at.of} needs \`within\` or \`allows\`: a sandbox without a boundary stops nothing`,
          at: 'key',
          hint: 'list folders under `within`, or programs and hosts under `allows.commands` and `allows.domains`',
        },
      )
    }
  }
}

interface Place {
  readonly trail: Trail | undefined
  readonly of: string
}

/**
 * What every contract has. Contracts are written as one literal per type, not spread together: the engine gives spread
 * objects no common shape, and everything that reads contracts afterwards is slower for it.
 */
interface Identity {
  readonly id: string
  readonly enabled: boolean
  readonly mode: Mode | undefined
}

/** Stands in where the identity itself was reported, so that the rest of the contract is checked as well. */
const unidentified: Identity = { id: '', enabled: true, mode: undefined }

interface ContractPlace extends Place {
  readonly identity: Identity
}

function withMode<C extends Contract>(mode: Mode | undefined, contract: C): C {
  return mode === undefined ? contract : { ...contract, mode }
}

interface ThenRule {
  readonly words: readonly string[]
  readonly approvals: 'allowed' | 'none'
}

const defaultTerms: ApprovalTerms = {
  timeoutSeconds: contractDefaults.timeoutSeconds,
  timeoutEffect: contractDefaults.timeoutEffect,
}
