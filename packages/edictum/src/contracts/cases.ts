// Test cases for a bundle: YAML text → checked cases, or every problem of the file at its place.
import { EdictumConfigError } from './config-error.js'
import { quoted, type Trail } from './diagnostic.js'
import { Findings, type Mapping, present } from './findings.js'
import { locateProblems } from './locate.js'
import { type LoadOptions, parseDocument } from './load.js'

/** What a case may expect. `deny` is also met by a call that a person would be asked about, `warn` by any postcondition. */
export const expectations = ['allow', 'deny', 'approve', 'warn', 'redact', 'suppress', 'observe'] as const

export type Expectation = (typeof expectations)[number]

export interface ContractCase {
  readonly id: string
  readonly tool: string
  readonly args: Mapping
  readonly expect: Expectation
  /** The contract that has to be the one that decides, where the call is not simply allowed. */
  readonly matchContract?: string
  readonly environment?: string
  readonly principal?: Mapping
  readonly metadata?: Mapping
  /** What the tool returned; given, postconditions are judged too. */
  readonly output?: unknown
  /** Counters before the call; given, session limits are judged too. */
  readonly session?: CaseSession
}

export interface CaseSession {
  readonly attempts?: number
  readonly toolCalls?: number
  readonly callsPerTool?: Readonly<Record<string, number>>
}

/** Loads and checks test cases. @throws EdictumConfigError carrying every problem found. */
export function loadCases(
  content: string | Uint8Array,
  options: Pick<LoadOptions, 'file' | 'maxBundleBytes'> = {},
): readonly ContractCase[] {
  const document = parseDocument(content, options)
  const checker = new CaseChecker()
  const cases = checker.check(document.value)
  const problems = [...document.problems, ...checker.findings.problems]
  if (problems.length > 0)
    throw new EdictumConfigError(locateProblems(problems, document.source, options.file))
  return cases
}

const caseFields = new Set([
  'id',
  'description',
  'tool',
  'args',
  'expect',
  'match_contract',
  'environment',
  'principal',
  'metadata',
  'output',
  'session',
])
const principalFields = new Set(['role', 'user_id', 'service_id', 'org_id', 'ticket_ref', 'claims'])
const sessionFields = new Set(['attempts', 'tool_calls', 'calls_per_tool'])

class CaseChecker {
  readonly findings = new Findings()
  readonly #lines = new Map<string, number>()

  check(value: unknown): readonly ContractCase[] {
    const root = this.findings.mapping(value, undefined, 'a file of cases')
    if (root === undefined) return []
    this.findings.knownFields(root, undefined, { known: new Set(['cases']), of: 'the file' })
    if (!this.findings.required(root, 'cases', { trail: undefined, of: 'the file' })) return []
    const trail: Trail = { parent: undefined, step: 'cases' }
    const list = this.findings.list(root['cases'], trail, { field: 'cases' }) ?? []
    return list.flatMap((entry, index) => this.#case(entry, { parent: trail, step: index }, index) ?? [])
  }

  #case(entry: unknown, trail: Trail, index: number): ContractCase | undefined {
    const fields = this.findings.mapping(entry, trail, 'a case')
    if (fields === undefined) return undefined
    this.findings.knownFields(fields, trail, { known: caseFields, of: 'the case' })
    const id = this.#text(fields, 'id', trail) ?? `case-${index + 1}`
    const of = `case ${quoted(id)}`
    const first = this.#lines.get(id)
    if (first !== undefined)
      this.findings.add(
        'invalid-value',
        { parent: trail, step: 'id' },
        {
          message: `two cases are called ${quoted(id)}`,
          related: { path: ['cases', first], label: 'first on' },
        },
      )
    this.#lines.set(id, index)
    const hasTool = this.findings.required(fields, 'tool', { trail, of })
    const hasExpect = this.findings.required(fields, 'expect', { trail, of })
    const tool = hasTool ? this.#text(fields, 'tool', trail) : undefined
    const expect = hasExpect
      ? this.#expectation(fields['expect'], { parent: trail, step: 'expect' })
      : undefined
    const optional = this.#optional(fields, trail)
    if (tool === undefined || expect === undefined) return undefined
    return { id, tool, expect, args: this.#mapping(fields, 'args', trail) ?? {}, ...optional }
  }

  #optional(fields: Mapping, trail: Trail): Partial<ContractCase> {
    const matchContract = this.#text(fields, 'match_contract', trail)
    const environment = this.#text(fields, 'environment', trail)
    const principal = this.#mapping(fields, 'principal', trail)
    const metadata = this.#mapping(fields, 'metadata', trail)
    const session = this.#session(fields, trail)
    if (principal !== undefined)
      this.findings.knownFields(
        principal,
        { parent: trail, step: 'principal' },
        { known: principalFields, of: '`principal`' },
      )
    return {
      ...(matchContract === undefined ? {} : { matchContract }),
      ...(environment === undefined ? {} : { environment }),
      ...(principal === undefined ? {} : { principal }),
      ...(metadata === undefined ? {} : { metadata }),
      ...(present(fields, 'output') ? { output: fields['output'] } : {}),
      ...(session === undefined ? {} : { session }),
    }
  }

  #session(fields: Mapping, parent: Trail): CaseSession | undefined {
    const session = this.#mapping(fields, 'session', parent)
    if (session === undefined) return undefined
    const trail: Trail = { parent, step: 'session' }
    this.findings.knownFields(session, trail, { known: sessionFields, of: '`session`' })
    const attempts = this.#count(session, 'attempts', trail)
    const toolCalls = this.#count(session, 'tool_calls', trail)
    const perTool = this.#mapping(session, 'calls_per_tool', trail)
    const callsPerTool =
      perTool &&
      Object.fromEntries(
        Object.keys(perTool).map((tool) => [
          tool,
          this.#count(perTool, tool, { parent: trail, step: 'calls_per_tool' }) ?? 0,
        ]),
      )
    return {
      ...(attempts === undefined ? {} : { attempts }),
      ...(toolCalls === undefined ? {} : { toolCalls }),
      ...(callsPerTool === undefined ? {} : { callsPerTool }),
    }
  }

  #expectation(value: unknown, trail: Trail): Expectation | undefined {
    const word = typeof value === 'string' ? value.toLowerCase() : value
    return this.findings.oneOf<Expectation>(word, trail, { field: 'expect', words: expectations })
  }

  #text(fields: Mapping, field: string, parent: Trail): string | undefined {
    return present(fields, field)
      ? this.findings.text(fields[field], { parent, step: field }, { field })
      : undefined
  }

  #mapping(fields: Mapping, field: string, parent: Trail): Mapping | undefined {
    return present(fields, field)
      ? this.findings.mapping(fields[field], { parent, step: field }, `\`${field}\``)
      : undefined
  }

  /** Counters begin at zero, which limits cannot. */
  #count(fields: Mapping, field: string, parent: Trail): number | undefined {
    if (!present(fields, field)) return undefined
    const value = fields[field]
    return value === 0 ? 0 : this.findings.count(value, { parent, step: field }, field)
  }
}
