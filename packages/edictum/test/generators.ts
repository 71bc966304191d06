// Random bundles and calls that have something to do with each other: both are drawn from the same small alphabets of
// tools, selectors and values, so that conditions hold about as often as they fail. Also random texts for the loader.
import fc from 'fast-check'

export type Expression = { readonly [key: string]: unknown }

export interface GeneratedContract {
  readonly id: string
  readonly type: 'pre' | 'post' | 'session'
  readonly enabled?: boolean
  readonly mode?: 'enforce' | 'observe'
  readonly tool?: string
  readonly when?: Expression
  readonly limits?: Readonly<Record<string, number>>
  readonly then: Readonly<Record<string, unknown>>
}

export interface GeneratedBundle {
  readonly apiVersion: 'edictum/v1'
  readonly kind: 'ContractBundle'
  readonly metadata: { readonly name: string }
  readonly defaults: { readonly mode: 'enforce' | 'observe' }
  readonly contracts: readonly GeneratedContract[]
}

export interface GeneratedCall {
  readonly toolName: string
  readonly args: Readonly<Record<string, unknown>>
  readonly principal?: Readonly<Record<string, unknown>>
  readonly environment?: string
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly variables: Readonly<Record<string, string>>
  readonly output?: unknown
}

const toolNames = ['bash', 'read_file', 'write_file', 'mcp_github', 'a1', 'constructor']
const toolPatterns = [
  ...toolNames,
  ...[
    '*',
    '*',
    'read_*',
    '*_file',
    '?ash',
    'a[0-9]',
    '[!m]*',
    'mcp_*',
    'a[',
    'Bash',
    'r*d_f?le',
    '__proto__',
  ],
]
const personal = ['123-45-6789', '4111 1111 1111 1111', 'ann@example.org', `AKIA${'ABCDEFGH12345678'}`]
const words = [
  ...['alpha', 'beta', 'alphabet', 'ALPHA', 'rm -rf /', '/etc/passwd', '.env', 'x', '42', 'true', ''],
  ...personal,
]
const numbers = [0, 1, 1.5, -2, 42, 1000]

/** Patterns that the native engine and any other read in the same way, and quickly. */
const patterns = [
  ...[
    'alpha',
    '^alpha$',
    '^a',
    'a$',
    'rm\\s+-rf',
    '[0-9]+',
    'be.a',
    '\\balpha\\b',
    '(?:al|be)',
    '^$',
    '\\.env$',
  ],
  ...['(?i)alpha', '(?i)^RM', 'a{2,3}', 'x*', '[^a-z]', '(al)(pha)', 'passwd|shadow', '/etc/', 'p+h?a'],
]

const names = ['a', 'b', 'c']
const variableNames = ['EDICTUM_TEST_A', 'EDICTUM_TEST_B']
const commonSelectors = [
  ...[
    'args.a',
    'args.a',
    'args.b',
    'args.b',
    'args.c',
    'args.a.b',
    'args.b.a.c',
    'args.a.0',
    'args.missing',
    'args',
  ],
  ...[
    'args.__proto__.a',
    'args.constructor.name',
    'args.toString',
    'args.a.length',
    'tool.name',
    'environment',
  ],
  ...[
    'principal.role',
    'principal.user_id',
    'principal.service_id',
    'principal.org_id',
    'principal.ticket_ref',
  ],
  ...['principal.claims.a', 'principal.claims.a.b', 'principal.claims', 'principal.email', 'principal'],
  ...[
    'metadata.a',
    'metadata.a.b',
    'env.EDICTUM_TEST_A',
    'env.EDICTUM_TEST_B',
    'env.EDICTUM_TEST_UNSET',
    'env',
  ],
  ...['nope.a', 'nope', 'environment.a'],
  ...['command.programs', 'command.programs', 'command.unresolved', 'paths', 'paths', 'hosts'],
]

/** Their meaning is plain, so that the naive evaluator can tell it without a grammar. */
const commands = [
  ...['ls', 'rm x', 'rm /edictum/ws/a', 'env rm /edictum/x', '/edictum/bin/alpha x', 'cat /edictum/ws/b/c'],
  ...['curl https://api.example.com/alpha', 'curl https://BETA.example.org', '$X y', 'alpha | beta'],
]
const commandWords = ['rm', 'ls', 'alpha', 'env', '/edictum/ws/a', 'api.example.com', 'beta.example.org']
const folders = ['/edictum', '/edictum/ws', '/edictum/ws/a', '/edictum/w', '/etc']
const outputSelectors = [
  'output.text',
  'output.text',
  'output.text',
  'result.a',
  'result.a.b',
  'result.missing',
]

const text = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...words, ...commandWords) },
  {
    weight: 1,
    arbitrary: fc
      .array(fc.constantFrom(...words), { minLength: 2, maxLength: 3 })
      .map((parts) => parts.join(' ').trim()),
  },
)
const scalar = fc.oneof(
  { weight: 4, arbitrary: text },
  { weight: 3, arbitrary: fc.constantFrom(...numbers) },
  { weight: 1, arbitrary: fc.boolean() },
  { weight: 1, arbitrary: fc.constant(null) },
)
const { value } = fc.letrec<{ value: unknown; mapping: Record<string, unknown> }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { weight: 6, arbitrary: scalar },
    { weight: 1, arbitrary: fc.array(scalar, { maxLength: 2 }) },
    { weight: 2, arbitrary: tie('mapping') },
  ),
  mapping: fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 3 }),
}))
const mapping = fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 3 })

const operands = {
  within: fc.subarray(folders, { minLength: 1 }),
  not_within: fc.subarray(folders, { minLength: 1 }),
  exists: fc.boolean(),
  equals: value,
  not_equals: value,
  in: fc.array(value, { minLength: 1, maxLength: 4 }),
  not_in: fc.array(value, { minLength: 1, maxLength: 4 }),
  contains: text,
  contains_any: fc.array(text, { minLength: 1, maxLength: 4 }),
  starts_with: text,
  ends_with: text,
  matches: fc.constantFrom(...patterns),
  matches_any: fc.array(fc.constantFrom(...patterns), { minLength: 1, maxLength: 3 }),
  detects: fc.subarray(['aws-key', 'ssn', 'credit-card', 'email', 'pii', 'secrets'], { minLength: 1 }),
  gt: fc.constantFrom(...numbers),
  gte: fc.constantFrom(...numbers),
  lt: fc.constantFrom(...numbers),
  lte: fc.constantFrom(...numbers),
} as const satisfies Record<string, fc.Arbitrary<unknown>>

const operatorNames: readonly string[] = Object.keys(operands)

const pathOperators = ['within', 'not_within']

function leafOn(selectors: readonly string[]): fc.Arbitrary<Expression> {
  const condition = fc.oneof(
    ...Object.entries<fc.Arbitrary<unknown>>(operands).map(([operator, operand]) =>
      operand.map((one) => ({ [operator]: one })),
    ),
  )
  return fc.tuple(fc.constantFrom(...selectors), condition).map(([selector, one]) => {
    const isAboutPaths = pathOperators.some((operator) => Object.hasOwn(one, operator))
    return { [isAboutPaths ? 'paths' : selector]: one }
  })
}

function expressionOn(selectors: readonly string[]): fc.Arbitrary<Expression> {
  const { expression } = fc.letrec<{ expression: Expression; parts: Expression[] }>((tie) => ({
    expression: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      { weight: 4, arbitrary: leafOn(selectors) },
      { weight: 1, arbitrary: tie('parts').map((all) => ({ all })) },
      { weight: 1, arbitrary: tie('parts').map((any) => ({ any })) },
      { weight: 1, arbitrary: tie('expression').map((not) => ({ not })) },
    ),
    parts: fc.array(tie('expression'), { minLength: 1, maxLength: 3 }),
  }))
  return expression
}

const mode = fc.constantFrom('enforce' as const, 'observe' as const)
const settings = fc.record(
  { enabled: fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, fc.constant(false)), mode },
  { requiredKeys: [] },
)
const consequence = {
  message: fc.constantFrom('no', 'no {args.a}', '{tool.name}: {principal.role}'),
  tags: fc.subarray(['x', 'y']),
}

type Unnamed = Omit<GeneratedContract, 'id'>

/** A precondition without id; `effect` narrows what it may do. */
export function preContract(
  effect: fc.Arbitrary<string> = fc.constantFrom('deny', 'deny', 'approve'),
): fc.Arbitrary<Unnamed> {
  return fc
    .tuple(
      settings,
      fc.record({
        type: fc.constant('pre' as const),
        tool: fc.constantFrom(...toolPatterns),
        when: expressionOn(commonSelectors),
        then: fc.record({ effect, ...consequence }, { requiredKeys: ['effect', 'message'] }),
      }),
    )
    .map(([setting, rest]) => ({ ...setting, ...rest }))
}

const postContract: fc.Arbitrary<Unnamed> = fc
  .tuple(
    settings,
    fc.record({
      type: fc.constant('post' as const),
      tool: fc.constantFrom(...toolPatterns),
      when: expressionOn([...outputSelectors, ...outputSelectors, ...commonSelectors]),
      then: fc.record(
        { effect: fc.constantFrom('warn', 'redact', 'deny'), ...consequence },
        { requiredKeys: ['effect', 'message'] },
      ),
    }),
  )
  .map(([setting, rest]) => ({ ...setting, ...rest }))

const sessionContract: fc.Arbitrary<Unnamed> = fc.record({
  type: fc.constant('session' as const),
  limits: fc.record({ max_tool_calls: fc.integer({ min: 1, max: 9 }) }),
  then: fc.constant({ effect: 'deny', message: 'enough' }),
})

const contract = fc.oneof(
  { weight: 6, arbitrary: preContract() },
  { weight: 3, arbitrary: postContract },
  { weight: 1, arbitrary: sessionContract },
)

/** Contracts that differ only in the literal they compare one and the same selector with. */
const crowd: fc.Arbitrary<Unnamed[]> = fc
  .record({
    tool: fc.constantFrom(...toolPatterns),
    selector: fc.constantFrom('args.a', 'args.b', 'tool.name', 'principal.role', 'command.programs', 'paths'),
    operator: fc.constantFrom(
      ...operatorNames.filter((operator) => operator !== 'exists' && !pathOperators.includes(operator)),
    ),
  })
  .chain(({ tool, selector, operator }) =>
    fc.array(
      (operands as Record<string, fc.Arbitrary<unknown>>)[operator]?.map((operand) => ({
        type: 'pre' as const,
        tool,
        when: { [selector]: { [operator]: operand } },
        then: { effect: 'deny', message: 'no' },
      })) ?? preContract(),
      { minLength: 5, maxLength: 20 },
    ),
  )

export function nameContracts(contracts: readonly Unnamed[], prefix = 'c'): readonly GeneratedContract[] {
  return contracts.map((one, index) => ({ id: `${prefix}${index}`, ...one }))
}

function wrapContracts(contracts: fc.Arbitrary<readonly Unnamed[]>): fc.Arbitrary<GeneratedBundle> {
  return fc.tuple(mode, fc.boolean(), contracts).map(([observed, always, list]) => ({
    apiVersion: 'edictum/v1',
    kind: 'ContractBundle',
    metadata: { name: 'generated' },
    defaults: { mode: always ? 'enforce' : observed },
    contracts: nameContracts(list),
  }))
}

/** A bundle of up to a dozen contracts of all kinds. */
export const bundle = wrapContracts(fc.array(contract, { minLength: 1, maxLength: 12 }))

/** A bundle of many similar contracts, for whatever a compiled policy shares between them. */
export const crowdedBundle = wrapContracts(
  fc
    .tuple(fc.array(crowd, { minLength: 1, maxLength: 4 }), fc.array(contract, { maxLength: 4 }))
    .chain(([crowds, others]) => fc.shuffledSubarray([...crowds.flat(), ...others], { minLength: 1 })),
)

const principal = fc.record(
  {
    userId: fc.constantFrom(...words),
    serviceId: fc.constantFrom(...words, null),
    orgId: fc.constantFrom(...words),
    role: fc.constantFrom(...words, null),
    ticketRef: fc.constantFrom(...words),
    claims: mapping,
  },
  { requiredKeys: [] },
)

/** A call to one of the tools the generated bundles are about. */
export const call: fc.Arbitrary<GeneratedCall> = fc.record(
  {
    toolName: fc.constantFrom(...toolNames),
    args: fc.oneof(
      { weight: 4, arbitrary: mapping },
      fc.record({ a: text, b: text, c: fc.constantFrom(...numbers) }),
      {
        weight: 2,
        arbitrary: fc.record(
          {
            command: fc
              .array(fc.constantFrom(...commands), { minLength: 1, maxLength: 3 })
              .map((list) => list.join(' ; ')),
            a: text,
          },
          { requiredKeys: ['command'] },
        ),
      },
    ),
    principal,
    environment: fc.constantFrom('production', 'staging', 'alpha'),
    metadata: mapping,
    variables: fc.dictionary(
      fc.constantFrom(...variableNames),
      fc.constantFrom(
        'true',
        'FALSE',
        '42',
        ' 1 ',
        '-2',
        '1.50',
        '007',
        '1_000',
        'alpha',
        '',
        'nan',
        '9007199254740993',
      ),
    ),
    output: fc.oneof(text, value),
  },
  { requiredKeys: ['toolName', 'args', 'variables'] },
)

/** Sets the generated variables for the length of an action; those not generated are unset. */
export function withVariables<Result>(
  variables: Readonly<Record<string, string>>,
  action: () => Result,
): Result {
  for (const name of variableNames) {
    const assigned = variables[name]
    if (assigned === undefined) delete process.env[name]
    else process.env[name] = assigned
  }
  try {
    return action()
  } finally {
    for (const name of variableNames) delete process.env[name]
  }
}

/** What `evaluate` takes besides the tool and the arguments. */
export function optionsOf({
  principal,
  environment,
  metadata,
  output,
}: GeneratedCall): Omit<GeneratedCall, 'toolName' | 'args' | 'variables'> {
  return {
    ...(principal === undefined ? {} : { principal }),
    ...(environment === undefined ? {} : { environment }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(output === undefined ? {} : { output }),
  }
}

const fragments = [
  ...[
    '\n',
    ' ',
    '  ',
    '\t',
    ':',
    ': ',
    '- ',
    '-',
    '[',
    ']',
    '{',
    '}',
    ',',
    '#',
    '&a ',
    '*a',
    '!!str ',
    '!x ',
    '|\n',
    '>\n',
  ],
  ...[
    '---\n',
    '...\n',
    '%YAML 1.2\n',
    '"',
    "'",
    '\\',
    '\0',
    '\uFEFF',
    '\u2028',
    '\uD800',
    '<<: ',
    '? ',
    '@',
    '`',
    '~',
    'null',
  ],
  ...[
    'contracts:',
    'apiVersion: edictum/v1\n',
    'kind: ContractBundle\n',
    'id: x',
    'when:',
    'all: []',
    'matches: "(a+)+$"',
  ],
  ...['1e999', '.nan', '-.inf', '0x', '0o9', '__proto__: ', 'constructor: ', 'toString: '],
]

/** A bundle written as YAML or JSON, with pieces removed, repeated, or replaced. */
const mutatedText = fc
  .tuple(
    bundle.map((one) => JSON.stringify(one, null, 2)),
    fc.array(
      fc.record({
        position: fc.nat(),
        length: fc.nat({ max: 30 }),
        insertion: fc.oneof(fc.constantFrom(...fragments), fc.string({ maxLength: 5, unit: 'binary' })),
      }),
      { minLength: 1, maxLength: 6 },
    ),
  )
  .map(([original, edits]) =>
    edits.reduce((current, { position, length, insertion }) => {
      const at = position % (current.length + 1)
      return current.slice(0, at) + insertion + current.slice(at + length)
    }, original),
  )

/** Texts and bytes that are mostly not bundles. */
export const rawDocument: fc.Arbitrary<string | Uint8Array> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.uint8Array({ maxLength: 200 }),
  fc.array(fc.constantFrom(...fragments), { maxLength: 40 }).map((parts) => parts.join('')),
  mutatedText,
  mutatedText,
)
