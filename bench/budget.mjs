// @ts-check
// node bench/budget.mjs [--accept] [--plant <metric>]: what things cost compared with others in the same run, held against
// bench/budget.json. A tenth over budget is a warning, a quarter is a failure. Ratios only: a time on one machine says nothing
// about another. `--plant` makes one metric do its work twice, to see that this would be noticed.
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

import { Edictum } from '../packages/edictum/dist/index.js'
import { RedactionPolicy } from '../packages/edictum/dist/policy/redaction/redaction-policy.js'
import { ToolRuntime } from '../packages/edictum/dist/runtime/index.js'
import { judgeBudget, warning } from './judge-budget.mjs'
import { measureRatios } from './ratios.mjs'
import { benignCall, makeRules, writeEdictumBundle } from './rules.mjs'

const budgetFile = new URL('budget.json', import.meta.url)

const { values: flags } = parseArgs({
  options: { accept: { type: 'boolean', default: false }, plant: { type: 'string' } },
})

const outOfReach = {
  limits: { maxAttempts: Number.MAX_SAFE_INTEGER, maxToolCalls: Number.MAX_SAFE_INTEGER },
  maxBundleBytes: 16 * 1024 * 1024,
}
/** @param {number} count */
const guardOf = (count) =>
  Edictum.fromYamlString(writeEdictumBundle(makeRules({ count, boundShare: 0.5 })), outOfReach)

const small = guardOf(10)
const middle = guardOf(1_000)
const large = guardOf(10_000)
const boxed = Edictum.fromYamlString(
  JSON.stringify({
    apiVersion: 'edictum/v1',
    kind: 'ContractBundle',
    metadata: { name: 'budget' },
    defaults: { mode: 'enforce' },
    contracts: [
      {
        id: 'shell',
        type: 'sandbox',
        tool: 'shell',
        within: ['/'],
        allows: { commands: ['git', 'cat', 'head', 'curl'], domains: ['*.example.com'] },
        message: 'outside',
      },
    ],
  }),
)
const runtime = new ToolRuntime({
  guard: small,
  tools: { [benignCall.tool]: { sideEffect: 'read', execute: () => benignCall.output } },
})
const turn = runtime.startTurn({ maxToolCalls: Number.MAX_SAFE_INTEGER, timeoutS: 3_600 })
const redaction = new RedactionPolicy()
const logLine = 'GET /orders/1234 200 12ms user=ada trace=0f3a9c '
const longText = logLine.repeat(200)
const event = { args: benignCall.args, records: Array.from({ length: 8 }, (_, id) => ({ id, passed: true })) }
const bundleText = writeEdictumBundle(makeRules({ count: 100, boundShare: 0.5 }))
const bundleData = JSON.stringify(
  Array.from({ length: 100 }, (_, id) => ({ id, when: { a: { b: [1, 2, 3] } } })),
)

let lastCall = 0
const returnOutput = () => benignCall.output
const context = { principal: { role: benignCall.role }, environment: benignCall.environment }
/** @param {Edictum} guard */
const run = (guard) => () => guard.run(benignCall.tool, benignCall.args, returnOutput, context)
/** @param {Edictum} guard */
const evaluate = (guard) => () =>
  guard.evaluate(benignCall.tool, benignCall.args, { ...context, output: benignCall.output })

/** What everything is compared with: work of the kind the guard cannot do without. */
const yardstick = async () => JSON.stringify(structuredClone(event)).length

/** @type {Record<string, import('./ratios.mjs').Comparison>} */
const metrics = {
  'run, 10 contracts ÷ yardstick': { work: run(small), against: yardstick },
  'run, 1,000 contracts ÷ run, 10': { work: run(middle), against: run(small) },
  'run, 10,000 contracts ÷ run, 10': { work: run(large), against: run(small) },
  'evaluate, 10 contracts ÷ yardstick': { work: evaluate(small), against: yardstick },
  'evaluate, 1,000 contracts ÷ evaluate, 10': { work: evaluate(middle), against: evaluate(small) },
  'a runtime call ÷ run': {
    work: () => turn.run([{ id: `call-${++lastCall}`, name: benignCall.tool, arguments: benignCall.args }]),
    against: run(small),
  },
  'a sandboxed shell call ÷ yardstick': {
    work: () => boxed.evaluate('shell', { command: `git log -n ${++lastCall % 1_000} --oneline | head -20` }),
    against: yardstick,
  },
  'redacting 10 KB ÷ yardstick': { work: () => redaction.redactResult(longText), against: yardstick },
  'loading 100 contracts ÷ parsing JSON': {
    work: () => Edictum.fromYamlString(bundleText),
    against: () => JSON.parse(bundleData),
  },
}

if (flags.plant !== undefined) {
  const planted = metrics[flags.plant]
  if (planted === undefined) {
    console.error(`no metric called ${flags.plant}; there are: ${Object.keys(metrics).join('; ')}`)
    process.exit(2)
  }
  metrics[flags.plant] = {
    ...planted,
    work: async () => {
      await planted.work()
      return planted.work()
    },
  }
}

const mostAttempts = 3

/**
 * What is over budget is measured again: a busy machine can make one measurement wrong, but not three.
 * @param {Readonly<Record<string, number>>} budget
 */
async function measureAgainst(budget) {
  let ratios = await measureRatios(metrics)
  for (let attempt = 1; attempt < mostAttempts; attempt++) {
    const doubtful = Object.entries(metrics).filter(
      ([name]) => (ratios[name] ?? Infinity) > (budget[name] ?? Infinity) * warning,
    )
    if (doubtful.length === 0) break
    const again = await measureRatios(Object.fromEntries(doubtful))
    ratios = Object.fromEntries(
      Object.entries(ratios).map(([name, ratio]) => [name, Math.min(ratio, again[name] ?? ratio)]),
    )
  }
  return ratios
}

if (flags.accept) {
  const ratios = await measureRatios(metrics)
  writeFileSync(budgetFile, `${JSON.stringify(ratios, null, 2)}\n`)
  console.log('written')
} else {
  const budget = JSON.parse(readFileSync(budgetFile, 'utf8'))
  const { lines, isOver } = judgeBudget(await measureAgainst(budget), budget)
  for (const line of lines) console.log(line)
  if (isOver) process.exitCode = 1
}
