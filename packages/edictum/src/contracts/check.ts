// Plain data → checked bundle, or every problem of the document at once. Knows nothing of text and positions.
import {
  type Contract,
  type ContractBundle,
  contractDefaults,
  type Mode,
  type Observability,
  type OtelSettings,
  type SideEffect,
  type ToolDescriptor,
} from './bundle.js'
import { ContractChecker, maxNameLength } from './check-contract.js'
import { type PathStep, type Problem, quoted, type Trail } from './diagnostic.js'
import { Findings, type Mapping } from './findings.js'
import { allWords, translate, type Words, wordsOf } from './words.js'

export const namePattern = /^[a-z0-9][a-z0-9._-]*$/
export const apiVersion = 'edictum/v1'

export type CheckResult =
  | { readonly ok: true; readonly bundle: ContractBundle }
  | { readonly ok: false; readonly problems: readonly Problem[] }

/** Checks a whole document. `customOperators` are the operator names registered beside the built-in ones. */
export function checkBundle(value: unknown, customOperators: ReadonlySet<string>): CheckResult {
  const checker = new BundleChecker(customOperators)
  const bundle = checker.check(value)
  return bundle === undefined || checker.findings.problems.length > 0
    ? { ok: false, problems: checker.findings.problems }
    : { ok: true, bundle }
}

class BundleChecker {
  readonly findings = new Findings()
  readonly #customOperators: ReadonlySet<string>

  constructor(customOperators: ReadonlySet<string>) {
    this.#customOperators = customOperators
  }

  check(value: unknown): ContractBundle | undefined {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      this.findings.add('bundle-not-mapping', undefined, {
        message: 'a bundle must be a mapping at its top level',
        hint: `start with: apiVersion: ${apiVersion}`,
      })
      return undefined
    }
    const root = value as Mapping
    const words = wordsOf(root)
    this.findings.knownFields(root, undefined, {
      known: new Set([
        'apiVersion',
        'kind',
        'metadata',
        'defaults',
        words.contracts,
        'tools',
        'observability',
        'observe_alongside',
      ]),
      of: 'the bundle',
      hintFor: (key) => {
        const word = translate(key, words)
        return word === undefined ? undefined : `in a ${words.kind} this is called \`${word}\``
      },
    })
    this.#header(root)
    const metadata = this.#metadata(root)
    const mode = this.#mode(root)
    const contracts = this.#contracts(root, words)
    const tools = Object.hasOwn(root, 'tools')
      ? this.#tools(root['tools'])
      : new Map<string, ToolDescriptor>()
    const observability = Object.hasOwn(root, 'observability')
      ? this.#observability(root['observability'])
      : {}
    const observeAlongside = Object.hasOwn(root, 'observe_alongside')
      ? this.findings.boolean(root['observe_alongside'], field('observe_alongside'), 'observe_alongside')
      : false
    if (metadata === undefined || mode === undefined || contracts === undefined) return undefined
    return {
      apiVersion,
      kind: 'ContractBundle',
      metadata,
      defaults: { mode },
      contracts,
      tools,
      observability,
      observeAlongside: observeAlongside === true,
    }
  }

  #header(root: Mapping): void {
    const at = { trail: undefined, of: 'the bundle' }
    if (this.findings.required(root, 'apiVersion', at)) {
      this.findings.oneOf(root['apiVersion'], field('apiVersion'), {
        field: 'apiVersion',
        words: [apiVersion],
      })
    }
    if (this.findings.required(root, 'kind', at)) {
      this.findings.oneOf(root['kind'], field('kind'), {
        field: 'kind',
        words: allWords.map(({ kind }) => kind),
      })
    }
  }

  #metadata(root: Mapping): ContractBundle['metadata'] | undefined {
    if (!this.findings.required(root, 'metadata', { trail: undefined, of: 'the bundle' })) return undefined
    const trail = field('metadata')
    const metadata = this.findings.mapping(root['metadata'], trail, '`metadata`')
    if (metadata === undefined) return undefined
    this.findings.knownFields(metadata, trail, { known: new Set(['name', 'description']), of: '`metadata`' })
    const name = this.findings.required(metadata, 'name', { trail, of: '`metadata`' })
      ? this.findings.text(metadata['name'], field('name', trail), {
          field: 'name',
          maxLength: maxNameLength,
          pattern: namePattern,
          expected: 'lower-case letters, digits, `.`, `-` and `_`, starting with a letter or digit',
        })
      : undefined
    const description = metadata['description']
    if (Object.hasOwn(metadata, 'description') && typeof description !== 'string') {
      this.findings.text(description, field('description', trail), { field: 'description' })
    }
    if (name === undefined) return undefined
    return typeof description === 'string' ? { name, description } : { name }
  }

  #mode(root: Mapping): Mode | undefined {
    if (!this.findings.required(root, 'defaults', { trail: undefined, of: 'the bundle' })) return undefined
    const trail = field('defaults')
    const defaults = this.findings.mapping(root['defaults'], trail, '`defaults`')
    if (defaults === undefined) return undefined
    this.findings.knownFields(defaults, trail, { known: new Set(['mode']), of: '`defaults`' })
    return this.findings.required(defaults, 'mode', { trail, of: '`defaults`' })
      ? this.findings.oneOf<Mode>(defaults['mode'], field('mode', trail), {
          field: 'mode',
          words: ['enforce', 'observe'],
        })
      : undefined
  }

  #contracts(root: Mapping, words: Words): readonly Contract[] | undefined {
    const name = words.contracts
    if (!this.findings.required(root, name, { trail: undefined, of: 'the bundle' })) return undefined
    const trail = field(name)
    const list = this.findings.list(root[name], trail, { field: name })
    if (list === undefined) return undefined
    const checker = new ContractChecker(this.findings, { words, customOperators: this.#customOperators })
    const contracts: Contract[] = []
    const firstUse = new Map<unknown, readonly PathStep[]>()
    for (let index = 0; index < list.length; index++) {
      const entry: unknown = list[index]
      const at = { parent: trail, step: index }
      const contract = checker.check(entry, at)
      if (contract !== undefined) contracts.push(contract)
      this.#uniqueId(entry, { at, path: [name, index, 'id'], firstUse, word: words.contract })
    }
    return contracts
  }

  #uniqueId(
    entry: unknown,
    use: { at: Trail; path: readonly PathStep[]; firstUse: Map<unknown, readonly PathStep[]>; word: string },
  ): void {
    const id = typeof entry === 'object' && entry !== null ? (entry as Mapping)['id'] : undefined
    if (typeof id !== 'string' || id === '') return
    const first = use.firstUse.get(id)
    if (first === undefined) {
      use.firstUse.set(id, use.path)
      return
    }
    this.findings.add('duplicate-contract-id', field('id', use.at), {
      message: `${use.word} id ${quoted(id)} is used twice`,
      related: { path: first, label: 'first used on' },
      hint: 'ids are unique in a bundle, also for disabled contracts and across types',
    })
  }

  #tools(value: unknown): ReadonlyMap<string, ToolDescriptor> {
    const trail = field('tools')
    const tools = new Map<string, ToolDescriptor>()
    const mapping = this.findings.mapping(value, trail, '`tools`')
    for (const name of Object.keys(mapping ?? {})) {
      const at = field(name, trail)
      const of = `tool ${quoted(name)}`
      const fields = this.findings.mapping(mapping?.[name], at, of)
      if (fields === undefined) continue
      this.findings.knownFields(fields, at, { known: new Set(['side_effect', 'idempotent']), of })
      const sideEffect = this.findings.required(fields, 'side_effect', { trail: at, of })
        ? this.findings.oneOf<SideEffect>(fields['side_effect'], field('side_effect', at), {
            field: 'side_effect',
            words: ['pure', 'read', 'write', 'irreversible'],
          })
        : undefined
      const idempotent = Object.hasOwn(fields, 'idempotent')
        ? this.findings.boolean(fields['idempotent'], field('idempotent', at), 'idempotent')
        : false
      if (sideEffect !== undefined && idempotent !== undefined) tools.set(name, { sideEffect, idempotent })
    }
    return tools
  }

  #observability(value: unknown): Observability {
    const trail = field('observability')
    const fields = this.findings.mapping(value, trail, '`observability`')
    if (fields === undefined) return {}
    this.findings.knownFields(fields, trail, {
      known: new Set(['otel', 'stdout', 'file']),
      of: '`observability`',
    })
    const otel = Object.hasOwn(fields, 'otel') ? this.#otel(fields['otel'], field('otel', trail)) : undefined
    const stdout = Object.hasOwn(fields, 'stdout')
      ? this.findings.boolean(fields['stdout'], field('stdout', trail), 'stdout')
      : undefined
    const file =
      Object.hasOwn(fields, 'file') && fields['file'] !== null
        ? this.findings.text(fields['file'], field('file', trail), { field: 'file' })
        : undefined
    return {
      ...(otel === undefined ? {} : { otel }),
      ...(stdout === undefined ? {} : { stdout }),
      ...(file === undefined ? {} : { file }),
    }
  }

  #otel(value: unknown, trail: Trail): OtelSettings | undefined {
    const fields = this.findings.mapping(value, trail, '`otel`')
    if (fields === undefined) return undefined
    this.findings.knownFields(fields, trail, {
      known: new Set(['enabled', 'endpoint', 'protocol', 'service_name', 'insecure', 'resource_attributes']),
      of: '`otel`',
    })
    const defaults = contractDefaults.otel
    const boolean = (name: string) =>
      Object.hasOwn(fields, name) ? this.findings.boolean(fields[name], field(name, trail), name) : undefined
    const text = (name: string) =>
      Object.hasOwn(fields, name)
        ? this.findings.text(fields[name], field(name, trail), { field: name })
        : undefined
    const protocol = Object.hasOwn(fields, 'protocol')
      ? this.findings.oneOf<'grpc' | 'http'>(fields['protocol'], field('protocol', trail), {
          field: 'protocol',
          words: ['grpc', 'http'],
        })
      : undefined
    return {
      enabled: boolean('enabled') ?? defaults.enabled,
      endpoint: text('endpoint') ?? defaults.endpoint,
      protocol: protocol ?? defaults.protocol,
      serviceName: text('service_name') ?? defaults.serviceName,
      insecure: boolean('insecure') ?? defaults.insecure,
      resourceAttributes: Object.hasOwn(fields, 'resource_attributes')
        ? this.#attributes(fields['resource_attributes'], field('resource_attributes', trail))
        : new Map(),
    }
  }

  #attributes(value: unknown, trail: Trail): ReadonlyMap<string, string> {
    const mapping = this.findings.mapping(value, trail, '`resource_attributes`') ?? {}
    const attributes = new Map<string, string>()
    for (const [name, attribute] of Object.entries(mapping)) {
      if (typeof attribute === 'string') attributes.set(name, attribute)
      else this.findings.text(attribute, field(name, trail), { field: `resource_attributes.${name}` })
    }
    return attributes
  }
}

function field(step: string, parent?: Trail): Trail {
  return { parent, step }
}
