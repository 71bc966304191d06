// @ts-check
// The rule mix every policy engine is measured on, the calls it is measured with, and one writer per
// engine that turns the same rules into the text a user of that engine would keep in a file.

export const calledTool = 'run_command'
const otherToolCount = 50

/**
 * @typedef {{ number: string, tool: string } & (
 *   | { kind: 'contains', needles: string[] }
 *   | { kind: 'matches', pattern: string, wildcard: string, sample: string }
 *   | { kind: 'caller', environment: string, role: string }
 *   | { kind: 'region', regions: string[] }
 *   | { kind: 'amount', above: number }
 *   | { kind: 'output', pattern: string, wildcard: string, sample: string }
 * )} Rule
 * @typedef {Rule['kind']} Kind
 * @typedef {{ tool: string, args: { command: string, path: string, region: string, amount: number, ticket: string },
 *   role: string, environment: string, output: string }} Call
 */

// Ordered so that a handful of rules already has one of each frequent kind.
/** @type {readonly Kind[]} */
const mix = [
  'contains',
  'matches',
  'caller',
  'amount',
  'output',
  'contains',
  'matches',
  'caller',
  'amount',
  'region',
]

const kinds = /** @type {const} */ (['contains', 'matches', 'caller', 'region', 'amount', 'output'])

/** @type {readonly ((number: string) => { pattern: string, wildcard: string, sample: string })[]} */
const patternShapes = [
  (number) => ({
    pattern: `\\brm\\s+-rf\\s+/srv/volume-${number}\\b`,
    wildcard: `*rm*-rf*/srv/volume-${number}*`,
    sample: `rm -rf /srv/volume-${number}`,
  }),
  (number) => ({
    pattern: `\\bdrop\\s+table\\s+orders_${number}\\b`,
    wildcard: `*drop*table*orders_${number}*`,
    sample: `drop table orders_${number}`,
  }),
  (number) => ({
    pattern: `(?:curl|wget)\\s+\\S*host-${number}\\.example`,
    wildcard: `*host-${number}.example*`,
    sample: `curl https://host-${number}.example/x`,
  }),
  (number) => ({
    pattern: `\\bchmod\\s+[0-7]{3,4}\\s+/etc/unit-${number}`,
    wildcard: `*chmod*/etc/unit-${number}*`,
    sample: `chmod 0777 /etc/unit-${number}`,
  }),
  (number) => ({
    pattern: `token-${number}[0-9a-f]{8,40}`,
    wildcard: `*token-${number}*`,
    sample: `echo token-${number}deadbeef`,
  }),
]

/** @param {number} ordinal */
function literalFreePattern(ordinal) {
  const letters = 6 + (ordinal % 40)
  const digits = 6 + (Math.floor(ordinal / 40) % 40)
  return {
    pattern: `\\b[a-f]{${letters}}[0-9]{${digits}}\\b`,
    wildcard: '',
    sample: `${'a'.repeat(letters)}${'1'.repeat(digits)}`,
  }
}

/**
 * `patterns: 'literal-free'` swaps every pattern on the command for one that contains no fixed text, the
 * worst case for an engine that looks for literals before it tries a pattern.
 * @param {{ count: number, boundShare: number, patterns?: 'ordinary' | 'literal-free' }} options
 * @returns {Rule[]}
 */
export function makeRules({ count, boundShare, patterns = 'ordinary' }) {
  const boundCount = Math.max(1, Math.round(count * boundShare))
  /** @type {Rule[]} */
  const rules = []
  let boundSoFar = 0
  let unboundSoFar = 0
  for (let index = 0; index < count; index++) {
    // Spreads the bound rules evenly; the very first rule is always bound.
    const bound = boundSoFar < boundCount && index >= Math.floor((boundSoFar * count) / boundCount)
    const position = bound ? boundSoFar++ : unboundSoFar++
    const tool = bound ? calledTool : `tool_${String(position % otherToolCount).padStart(2, '0')}`
    rules.push(makeRule({ index, position, tool, patterns }))
  }
  return rules
}

/**
 * @param {{ index: number, position: number, tool: string, patterns: 'ordinary' | 'literal-free' }} options
 * @returns {Rule}
 */
function makeRule({ index, position, tool, patterns }) {
  const number = String(index).padStart(5, '0')
  const kind = mix[position % mix.length] ?? 'contains'
  switch (kind) {
    case 'contains':
      return {
        number,
        tool,
        kind,
        needles: [`--purge-${number}`, `mkfs.${number}`, `/dev/disk-${number}`, `halt-${number}`],
      }
    case 'matches': {
      const ordinal = Math.floor(position / 5)
      if (patterns === 'literal-free') return { number, tool, kind, ...literalFreePattern(ordinal) }
      const shape = patternShapes[ordinal % patternShapes.length]
      if (!shape) throw new Error('no pattern shape')
      return { number, tool, kind, ...shape(number) }
    }
    case 'caller':
      return {
        number,
        tool,
        kind,
        environment: index % 3 === 0 ? 'staging' : 'production',
        role: `contractor-${number}`,
      }
    case 'region':
      return { number, tool, kind, regions: ['a', 'b', 'c', 'd'].map((zone) => `zone-${number}${zone}`) }
    case 'amount':
      return { number, tool, kind, above: 100_000 + index }
    case 'output':
      return {
        number,
        tool,
        kind,
        pattern: `\\b[0-9]{3}-${number}-[0-9]{4}\\b`,
        wildcard: `*-${number}-*`,
        sample: `078-${number}-1120`,
      }
  }
}

const benignOutput =
  'NAME  READY  STATUS RESTARTS AGE web-7f6d5  1/1  Running  0  12d  api-5c9b8  1/1  Pending'

/**
 * @param {number} variant
 * @returns {Call}
 */
function makeBenignCall(variant) {
  return {
    tool: calledTool,
    args: {
      command: `kubectl get pods --namespace=crew${variant + 10} -o wide`,
      path: `/workspace/app-${variant}`,
      region: 'eu-west-1',
      amount: 420 + variant,
      ticket: 'OPS-1042',
    },
    role: 'analyst',
    environment: 'production',
    output: benignOutput,
  }
}

export const benignCall = makeBenignCall(0)

// More than one call, so that no engine can profit from having just seen the very same strings.
/** @type {readonly Call[]} */
export const benignCalls = Array.from({ length: 16 }, (_, variant) => makeBenignCall(variant))

/**
 * A call that `rule` denies and that is benign in every other respect.
 * @param {Rule} rule
 * @returns {Call}
 */
export function makeDeniedCall(rule) {
  switch (rule.kind) {
    case 'contains':
      return { ...benignCall, args: { ...benignCall.args, command: `sudo tool ${rule.needles[2]} now` } }
    case 'matches':
      return { ...benignCall, args: { ...benignCall.args, command: `sh -c '${rule.sample}'` } }
    case 'caller':
      return { ...benignCall, environment: rule.environment, role: rule.role }
    case 'region':
      return { ...benignCall, args: { ...benignCall.args, region: rule.regions[3] ?? '' } }
    case 'amount':
      return { ...benignCall, args: { ...benignCall.args, amount: rule.above + 1 } }
    case 'output':
      return { ...benignCall, output: `found ${rule.sample} in the log` }
  }
}

/**
 * @param {readonly Rule[]} rules
 * @param {number} [edition] makes the text differ from other editions of the same rules
 */
export function writeEdictumBundle(rules, edition = 0) {
  const contracts = rules.map((rule) => {
    const post = rule.kind === 'output'
    return [
      `  - id: contract-${rule.number}`,
      `    type: ${post ? 'post' : 'pre'}`,
      `    tool: ${rule.tool}`,
      '    when:',
      ...edictumCondition(rule),
      '    then:',
      `      effect: ${post ? 'warn' : 'deny'}`,
      `      message: "Contract ${rule.number} applies to this call."`,
      '      tags: [bench]',
    ].join('\n')
  })
  return `apiVersion: edictum/v1
kind: ContractBundle
metadata:
  name: bench
  description: "edition ${edition}"
defaults:
  mode: enforce
contracts:
${contracts.join('\n')}
`
}

/** @param {Rule} rule */
function edictumCondition(rule) {
  switch (rule.kind) {
    case 'contains':
      return [`      args.command: { contains_any: [${rule.needles.map(quoteForYaml).join(', ')}] }`]
    case 'matches':
      return [`      args.command: { matches: ${quoteForYaml(rule.pattern)} }`]
    case 'caller':
      return [
        '      all:',
        `        - environment: { equals: ${rule.environment} }`,
        `        - principal.role: { equals: ${rule.role} }`,
      ]
    case 'region':
      return [`      args.region: { in: [${rule.regions.join(', ')}] }`]
    case 'amount':
      return [`      args.amount: { gt: ${rule.above} }`]
    case 'output':
      return [`      output.text: { matches: ${quoteForYaml(rule.pattern)} }`]
  }
}

/** @param {string} text */
function quoteForYaml(text) {
  return `'${text.replaceAll("'", "''")}'`
}

/**
 * One program per rule, true when the rule denies the call; a JSON list of `[tool, program]`.
 * @param {readonly Rule[]} rules
 */
export function writeCelPrograms(rules) {
  return JSON.stringify(rules.map((rule) => [rule.tool, celCondition(rule)]))
}

/** @param {Rule} rule */
function celCondition(rule) {
  switch (rule.kind) {
    case 'contains':
      return `(${rule.needles.map((needle) => `args.command.contains(${JSON.stringify(needle)})`).join(' || ')})`
    case 'matches':
      return `args.command.matches(${JSON.stringify(rule.pattern)})`
    case 'caller':
      return `(environment == ${JSON.stringify(rule.environment)} && role == ${JSON.stringify(rule.role)})`
    case 'region':
      return `args.region in ${JSON.stringify(rule.regions)}`
    case 'amount':
      return `args.amount > ${rule.above}.0`
    case 'output':
      return `output.matches(${JSON.stringify(rule.pattern)})`
  }
}

export const casbinModel = `
[request_definition]
r = tool, call

[policy_definition]
p = tool, kind, value, second, eft

[policy_effect]
e = !some(where (p.eft == deny))

[matchers]
m = r.tool == p.tool && (${[
  'p.kind == "command" && regexMatch(r.call.args.command, p.value)',
  'p.kind == "caller" && r.call.environment == p.value && r.call.role == p.second',
  'p.kind == "amount" && r.call.args.amount > p.value',
  'p.kind == "region" && regexMatch(r.call.args.region, p.value)',
  'p.kind == "output" && regexMatch(r.call.output, p.value)',
].join(' || ')})
`

/** @param {readonly Rule[]} rules */
export function writeCasbinPolicy(rules) {
  return rules
    .map((rule) => ['p', rule.tool, ...casbinColumns(rule), 'deny'])
    .map((columns) => columns.map((column) => (column.includes(',') ? `"${column}"` : column)).join(','))
    .join('\n')
}

/** @param {Rule} rule */
function casbinColumns(rule) {
  switch (rule.kind) {
    case 'contains':
      return ['command', rule.needles.map(escapeForRegExp).join('|'), '-']
    case 'matches':
      return ['command', rule.pattern, '-']
    case 'caller':
      return ['caller', rule.environment, rule.role]
    case 'region':
      return ['region', `^(?:${rule.regions.join('|')})$`, '-']
    case 'amount':
      return ['amount', String(rule.above), '-']
    case 'output':
      return ['output', rule.pattern, '-']
  }
}

/** @param {string} text */
function escapeForRegExp(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

/** @param {readonly Rule[]} rules */
export function writeJsonRules(rules) {
  return JSON.stringify(
    rules.map((rule) => ({
      name: rule.number,
      conditions: {
        // A higher priority runs first, so that rules for other tools stop after one comparison.
        all: [{ fact: 'tool', operator: 'equal', value: rule.tool, priority: 10 }, ...jsonConditions(rule)],
      },
      event: { type: 'deny' },
    })),
  )
}

/** @param {Rule} rule */
function jsonConditions(rule) {
  switch (rule.kind) {
    case 'contains':
      return [{ fact: 'command', operator: 'containsAny', value: rule.needles }]
    case 'matches':
      return [{ fact: 'command', operator: 'matches', value: rule.pattern }]
    case 'caller':
      return [
        { fact: 'environment', operator: 'equal', value: rule.environment },
        { fact: 'role', operator: 'equal', value: rule.role },
      ]
    case 'region':
      return [{ fact: 'region', operator: 'in', value: rule.regions }]
    case 'amount':
      return [{ fact: 'amount', operator: 'greaterThan', value: rule.above }]
    case 'output':
      return [{ fact: 'output', operator: 'matches', value: rule.pattern }]
  }
}

/** @param {readonly Rule[]} rules */
export function writeCedarPolicies(rules) {
  const forbidden = rules.map(
    (rule) =>
      `forbid (principal, action == Action::${JSON.stringify(rule.tool)}, resource)\nwhen { ${cedarCondition(rule)} };`,
  )
  return ['permit (principal, action, resource);', ...forbidden].join('\n')
}

/** @param {Rule} rule */
function cedarCondition(rule) {
  switch (rule.kind) {
    case 'contains':
      return rule.needles
        .map((needle) => `context.command like ${JSON.stringify(`*${needle}*`)}`)
        .join(' || ')
    case 'matches':
      return `context.command like ${JSON.stringify(rule.wildcard)}`
    case 'caller':
      return `context.environment == ${JSON.stringify(rule.environment)} && context.role == ${JSON.stringify(rule.role)}`
    case 'region':
      return `${JSON.stringify(rule.regions)}.contains(context.region)`
    case 'amount':
      return `context.amount > ${rule.above}`
    case 'output':
      return `context.output like ${JSON.stringify(rule.wildcard)}`
  }
}

/**
 * What must be true before anything is measured: the benign calls pass, and the first and the last bound rule of
 * every kind denies its call.
 * @param {readonly Rule[]} rules
 * @returns {{ call: Call, expected: 'allow' | 'deny', kind: Rule['kind'] | undefined, about: string }[]}
 */
export function probesOf(rules) {
  const bound = rules.filter((rule) => rule.tool === calledTool)
  const denied = kinds.flatMap((kind) => {
    const ofKind = bound.filter((rule) => rule.kind === kind)
    return [ofKind.at(0), ofKind.at(-1)].filter((rule) => rule !== undefined)
  })
  return [
    ...benignCalls.map((call) => ({
      call,
      expected: /** @type {const} */ ('allow'),
      kind: undefined,
      about: 'the benign call',
    })),
    ...denied.map((rule) => ({
      call: makeDeniedCall(rule),
      expected: /** @type {const} */ ('deny'),
      kind: rule.kind,
      about: `a ${rule.kind} violation`,
    })),
  ]
}
