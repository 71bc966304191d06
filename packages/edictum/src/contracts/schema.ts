// The JSON Schema for editors, built from the same tables the checker reads. What a schema cannot say (patterns that
// compile, unique ids, selectors of the wrong stage, depth) is left to the checker; it never refuses what the checker accepts.
import { contractDefaults } from './bundle.js'
import { apiVersion, namePattern } from './check.js'
import { detectableNames } from './detectors.js'
import { idPattern, maxMessageLength } from './check-contract.js'
import { type OperandShape, operandShapes } from './operators.js'
import { formPrefix, normalForms } from './selectors.js'
import { allWords, type Words } from './words.js'

type Schema = Readonly<Record<string, unknown>>

const text: Schema = { type: 'string', minLength: 1 }
const texts: Schema = { type: 'array', minItems: 1, items: text }
const count: Schema = { type: 'integer', minimum: 1 }
const mode: Schema = {
  enum: ['enforce', 'observe'],
  description: 'enforce stops calls; observe only records what would have been stopped',
}

const operandSchemas: Readonly<Record<OperandShape, Schema>> = {
  boolean: { type: 'boolean' },
  anything: {},
  list: { type: 'array', minItems: 1 },
  text: { type: 'string' },
  texts: { type: 'array', minItems: 1, items: { type: 'string' } },
  pattern: text,
  patterns: texts,
  folders: texts,
  number: { type: 'number' },
  detectors: {
    type: 'array',
    minItems: 1,
    items: { enum: detectableNames },
    description: 'names of secrets and personal data to find; `secrets` and `pii` stand for all of a kind',
  },
}

/** A mapping with exactly these fields. */
function mapping(properties: Readonly<Record<string, Schema>>, required: readonly string[]): Schema {
  return { type: 'object', additionalProperties: false, properties, required }
}

export function buildBundleSchema(): Schema {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Edictum contract bundle',
    description: 'Contracts that decide, outside the model, whether an agent’s tool call runs.',
    type: 'object',
    required: ['apiVersion', 'kind'],
    properties: { apiVersion: { const: apiVersion }, kind: { enum: allWords.map(({ kind }) => kind) } },
    allOf: allWords.map((words) => ({
      if: { properties: { kind: { const: words.kind } } },
      then: { $ref: `#/definitions/${words.kind}` },
    })),
    definitions: Object.assign({ condition: conditionSchema() }, ...allWords.map(definitionsFor)),
  }
}

function definitionsFor(words: Words): Readonly<Record<string, Schema>> {
  const { kind } = words
  const contractName = `${kind}.${words.contract}`
  return {
    [kind]: mapping(
      {
        apiVersion: { const: apiVersion },
        kind: { const: kind },
        metadata: mapping(
          { name: { type: 'string', pattern: namePattern.source }, description: { type: 'string' } },
          ['name'],
        ),
        defaults: mapping({ mode }, ['mode']),
        [words.contracts]: { type: 'array', minItems: 1, items: { $ref: `#/definitions/${contractName}` } },
        tools: {
          type: 'object',
          additionalProperties: mapping(
            {
              side_effect: { enum: ['pure', 'read', 'write', 'irreversible'] },
              idempotent: { type: 'boolean', default: false },
            },
            ['side_effect'],
          ),
        },
        observability: observabilitySchema(),
        observe_alongside: { type: 'boolean', default: false },
      },
      ['apiVersion', 'kind', 'metadata', 'defaults', words.contracts],
    ),
    [contractName]: contractSchema(words),
  }
}

function contractSchema(words: Words): Schema {
  const byType = {
    pre: preSchema(words),
    post: postSchema(words),
    session: sessionSchema(words),
    sandbox: sandboxSchema(words),
  }
  return {
    type: 'object',
    required: ['type'],
    properties: { type: { enum: Object.keys(byType) } },
    allOf: Object.entries(byType).map(([type, schema]) => ({
      if: { properties: { type: { const: type } } },
      then: schema,
    })),
  }
}

function common(type: string): Readonly<Record<string, Schema>> {
  return {
    id: { type: 'string', pattern: idPattern.source, description: 'unique in the bundle' },
    type: { const: type },
    enabled: { type: 'boolean', default: true },
    mode,
  }
}

function consequence(
  words: Words,
  effects: readonly string[],
  extra: Readonly<Record<string, Schema>> = {},
): Schema {
  return mapping(
    {
      [words.effect]: { enum: effects },
      message: {
        ...text,
        maxLength: maxMessageLength,
        description: 'what the agent is told; {selector} is replaced',
      },
      tags: { type: 'array', items: text },
      metadata: { type: 'object' },
      ...extra,
    },
    [words.effect, 'message'],
  )
}

function approvalTerms(words: Words): Readonly<Record<string, Schema>> {
  const effect = { enum: [words.deny, 'allow'], default: words.deny }
  return {
    timeout: {
      ...count,
      default: contractDefaults.timeoutSeconds,
      description: 'seconds to wait for an approval',
    },
    ...Object.fromEntries(words.timeoutEffect.map((name) => [name, effect])),
  }
}

/** The two spellings of the timeout field mean the same, so one document may use only one of them. */
function oneSpelling(words: Words): Schema {
  return words.timeoutEffect.length > 1 ? { not: { required: [...words.timeoutEffect] } } : {}
}

const condition: Schema = { $ref: '#/definitions/condition' }

function preSchema(words: Words): Schema {
  const then = {
    ...consequence(words, [words.deny, words.approve], approvalTerms(words)),
    ...oneSpelling(words),
  }
  return mapping({ ...common('pre'), tool: text, when: condition, then }, [
    'id',
    'type',
    'tool',
    'when',
    'then',
  ])
}

function postSchema(words: Words): Schema {
  const then = consequence(words, ['warn', 'redact', words.deny])
  return mapping({ ...common('post'), tool: text, when: condition, then }, [
    'id',
    'type',
    'tool',
    'when',
    'then',
  ])
}

function sessionSchema(words: Words): Schema {
  const limits = {
    ...mapping(
      {
        max_tool_calls: count,
        max_attempts: count,
        max_calls_per_tool: { type: 'object', minProperties: 1, additionalProperties: count },
      },
      [],
    ),
    minProperties: 1,
  }
  return mapping({ ...common('session'), limits, then: consequence(words, [words.deny]) }, [
    'id',
    'type',
    'limits',
    'then',
  ])
}

function sandboxSchema(words: Words): Schema {
  const fields = mapping(
    {
      ...common('sandbox'),
      tool: text,
      tools: texts,
      within: texts,
      not_within: { type: 'array', items: text },
      allows: mapping({ commands: texts, domains: texts }, []),
      not_allows: mapping({ domains: texts }, []),
      outside: { enum: [words.deny, words.approve], default: words.deny },
      message: { ...text, maxLength: maxMessageLength },
      ...approvalTerms(words),
    },
    ['id', 'type', 'message'],
  )
  return {
    ...fields,
    allOf: [
      { oneOf: [{ required: ['tool'] }, { required: ['tools'] }] },
      {
        anyOf: [
          { required: ['within'] },
          {
            required: ['allows'],
            properties: { allows: { anyOf: [{ required: ['commands'] }, { required: ['domains'] }] } },
          },
        ],
      },
      {
        if: { required: ['not_allows'], properties: { not_allows: { required: ['domains'] } } },
        then: { required: ['allows'], properties: { allows: { required: ['domains'] } } },
      },
      oneSpelling(words),
    ],
    dependencies: { not_within: ['within'], not_allows: ['allows'] },
  }
}

function observabilitySchema(): Schema {
  const { otel } = contractDefaults
  return mapping(
    {
      otel: mapping(
        {
          enabled: { type: 'boolean', default: otel.enabled },
          endpoint: { ...text, default: otel.endpoint },
          protocol: { enum: ['grpc', 'http'], default: otel.protocol },
          service_name: { ...text, default: otel.serviceName },
          insecure: { type: 'boolean', default: otel.insecure },
          resource_attributes: { type: 'object', additionalProperties: { type: 'string' } },
        },
        [],
      ),
      stdout: { type: 'boolean' },
      file: { type: ['string', 'null'], minLength: 1 },
    },
    [],
  )
}

function conditionSchema(): Schema {
  const group = { type: 'array', minItems: 1, items: condition }
  return {
    type: 'object',
    minProperties: 1,
    maxProperties: 1,
    description: 'all, any or not around conditions, or one selector with one operator',
    properties: { all: group, any: group, not: condition, paths: leafSchema('anything') },
    propertyNames: { anyOf: [{ enum: [...normalForms] }, { not: { pattern: formPrefix.source } }] },
    additionalProperties: leafSchema('values'),
  }
}

/** Where paths lead can be asked of `paths` only. */
function leafSchema(judging: 'anything' | 'values'): Schema {
  const operators = Object.entries(operandShapes).map(
    ([name, shape]) =>
      [name, shape === 'folders' && judging === 'values' ? false : operandSchemas[shape]] as const,
  )
  return { type: 'object', minProperties: 1, maxProperties: 1, properties: Object.fromEntries(operators) }
}
