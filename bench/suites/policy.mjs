// @ts-check
// How fast a bundle becomes a policy and a policy becomes a verdict, next to the engines one could install instead.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

import { openEdictum, openOtherEngines } from '../engines.mjs'
import { collectAllGarbage, measureRetainedBytes, measureSideBySide, method, sampling } from '../harness.mjs'
import {
  figures,
  formatBytes,
  formatCount,
  formatRatio,
  formatTime,
  judge,
  measurementCells,
  measurementColumns,
  words,
} from '../report.mjs'
import {
  benignCall,
  benignCalls,
  calledTool,
  makeDeniedCall,
  makeRules,
  probesOf,
  writeEdictumBundle,
} from '../rules.mjs'

/**
 * @typedef {import('../engines.mjs').Engine} Engine
 * @typedef {import('../engines.mjs').Decide} Decide
 * @typedef {import('../harness.mjs').Measurement} Measurement
 * @typedef {import('../report.mjs').Section} Section
 * @typedef {import('../report.mjs').Target} Target
 * @typedef {import('../rules.mjs').Rule} Rule
 * @typedef {{ contracts: number, measurements: Measurement[] }} Group
 * @typedef {import('../rules.mjs').Call} Call
 * @typedef {{ edictum: Engine, others: Engine[], pace: Pace, announce: (line: string) => void }} Setting
 * @typedef {typeof paces[keyof typeof paces]} Pace
 */

const paces = {
  full: {
    ...sampling.full,
    loadSizes: [10, 100, 1_000, 10_000],
    halfBoundSizes: [1, 10, 100, 1_000, 10_000],
    fewBoundSizes: [100, 1_000, 10_000],
    growthSizes: [10, 100, 1_000, 10_000],
    hostileProcesses: 5,
  },
  targets: {
    rounds: 8,
    roundMilliseconds: 50,
    loadSizes: [1_000, 10_000],
    halfBoundSizes: [100, 1_000],
    fewBoundSizes: [],
    growthSizes: [10, 10_000],
    hostileProcesses: 3,
  },
  quick: {
    ...sampling.quick,
    loadSizes: [10, 1_000, 10_000],
    halfBoundSizes: [10, 1_000],
    fewBoundSizes: [1_000],
    growthSizes: [10, 10_000],
    hostileProcesses: 2,
  },
}

// Combinations that would take longer than everything else together.
/** @type {Record<string, { above: number, reason: string }>} */
const skipped = { 'json-rules-engine': { above: 1_000, reason: 'about a quarter of a second per call' } }

/**
 * @param {{ pace: keyof typeof paces, announce: (line: string) => void }} options
 * @returns {Promise<import('../report.mjs').Report>}
 */
export async function measure({ pace, announce }) {
  const edictum = await openEdictum()
  // The targets are about Edictum alone.
  const others = pace === 'targets' ? [] : await openOtherEngines(announce)
  /** @type {Setting} */
  const setting = { edictum, others, pace: paces[pace], announce }

  const load = await measureLoad(setting)
  const halfBound = await measureEvaluation(setting, { sizes: setting.pace.halfBoundSizes, boundShare: 0.5 })
  const fewBound = await measureEvaluation(setting, { sizes: setting.pace.fewBoundSizes, boundShare: 0.01 })
  const denied = await measureDenials(setting)
  const growth = await measureGrowth(setting)
  const regex = measureHostilePatterns(setting)
  const memory = await measureMemory(setting)

  return {
    title: 'Policy: load and evaluate',
    intro: [
      'Rule mix: 20 % contains_any (4 needles), 20 % matches, 20 % all of environment and role, 10 % in, 20 % gt, ' +
        '10 % matches on the output of the call. Bound rules name the called tool, the rest is spread over 50 others.',
      'The call has 5 arguments, a command of 43 characters and an output of 89; it is allowed, so that every bound ' +
        'rule counts. Before measuring, every engine has to allow it, and to deny a call for the first and the last ' +
        'bound rule of every kind.',
      method,
      ...[edictum, ...others].map(({ name, version, note }) => `${name} ${version}: ${note}.`),
    ],
    sections: [
      load.section,
      describeEvaluation('Evaluate, 50 % of the contracts bound to the tool', halfBound),
      describeEvaluation('Evaluate, 1 % of the contracts bound to the tool', fewBound),
      denied.section,
      growth.section,
      regex.section,
      memory.section,
    ],
    targets: [
      ...judgeEvaluation(halfBound),
      ...judgeAgainstEngines(others, halfBound),
      growth.target,
      ...load.targets,
      regex.target,
    ],
    data: {
      load: load.data,
      halfBound,
      fewBound,
      denied: denied.data,
      growth: growth.data,
      hostilePatterns: regex.data,
      memory: memory.data,
    },
  }
}

/** @param {Engine} engine @param {number} size */
function isSkipped(engine, size) {
  return size > (skipped[engine.name]?.above ?? Number.POSITIVE_INFINITY)
}

/** @param {readonly Rule[]} rules */
function boundRules(rules) {
  return rules.filter((rule) => rule.tool === calledTool)
}

/**
 * @param {Engine} engine
 * @param {readonly Rule[]} rules
 * @returns {Promise<Decide>}
 */
async function loadAndVerify(engine, rules) {
  const decide = await engine.load(engine.write(rules))
  for (const { call, expected, about } of probesOf(rules)) {
    const decision = await decide(call)
    if (decision !== expected) throw new Error(`${engine.name} says ${decision} to ${about}, not ${expected}`)
  }
  return decide
}

/** @param {Setting} setting */
async function measureLoad({ edictum, others, pace, announce }) {
  /** @type {(Group & { textBytes: Record<string, number> })[]} */
  const groups = []
  for (const size of pace.loadSizes) {
    announce(`load, ${formatCount(size)} contracts`)
    const rules = makeRules({ count: size, boundShare: 0.5 })
    /** @type {Record<string, number>} */
    const textBytes = {}
    const contenders = [edictum, ...others].flatMap((engine) => {
      // Several editions of our own text, so that loading cannot be answered from memory.
      const editions = engine === edictum ? [0, 1, 2, 3, 4, 5, 6, 7] : [0]
      const texts = editions.map((edition) => Buffer.from(engine.write(rules, edition)).toString())
      const load = (/** @type {number} */ index) => engine.load(texts[index % texts.length] ?? '')
      /** @type {import('../harness.mjs').Contender} */
      const loading = {
        name: engine.name,
        calling: 'asynchronous',
        call: async (index) => typeof (await load(index)),
        expected: 'function',
      }
      textBytes[engine.name] = Buffer.byteLength(texts[0] ?? '')
      if (engine !== edictum) return [loading]
      // What a guard puts off until a tool is called for the first time is part of the price too.
      const name = `${engine.name} + first call`
      textBytes[name] = Buffer.byteLength(texts[0] ?? '')
      /** @type {import('../harness.mjs').Contender} */
      const loadingAndCalling = {
        name,
        calling: 'asynchronous',
        call: async (index) => (await load(index))(benignCall),
        expected: 'allow',
      }
      return [loading, loadingAndCalling]
    })
    groups.push({ contracts: size, textBytes, measurements: await measureSideBySide(contenders, pace) })
    collectAllGarbage()
  }
  const cold = measureColdLoad()
  /** @type {Section} */
  const section = {
    title: 'Load: text to ready policy',
    columns: [
      figures('contracts'),
      words('engine'),
      figures('text'),
      figures('median'),
      figures('best'),
      figures('per contract'),
      figures('÷ edictum'),
    ],
    rows: groups.flatMap(({ contracts, textBytes, measurements }) =>
      measurements.map(({ name, median, best }) => [
        formatCount(contracts),
        name,
        formatBytes(textBytes[name] ?? 0),
        formatTime(median),
        formatTime(best),
        formatTime(best / contracts),
        formatRatio(best / bestOf(measurements, edictum.name)),
      ]),
    ),
    notes: [
      `A new process needs ${formatTime(cold.importing)} to import edictum and ${formatTime(cold.loading)} ` +
        'for its first load of 1,000 contracts (best of 3).',
      'Below 1x the other engine loads faster than Edictum. Its text holds the bare condition, without message, ' +
        'effect and tags; cel-js and json-rules-engine read JSON.',
    ],
  }
  /** @param {number} size */
  const bestLoad = (size) => {
    const group = groups.find(({ contracts }) => contracts === size)
    return group ? bestOf(group.measurements, edictum.name) : Number.NaN
  }
  /** @type {Target[]} */
  const targets = [
    judge({
      id: 'T7',
      goal: 'load 1,000 contracts in at most 20 ms, best round',
      limit: 20e6,
      value: bestLoad(1_000),
    }),
    judge({
      id: 'T7',
      goal: 'load 10,000 contracts in at most 250 ms, best round',
      limit: 250e6,
      value: bestLoad(10_000),
    }),
  ]
  return { data: { groups, cold }, section, targets }
}

function measureColdLoad() {
  const script = fileURLToPath(new URL('../cold-load.mjs', import.meta.url))
  const input = writeEdictumBundle(makeRules({ count: 1_000, boundShare: 0.5 }))
  const runs = Array.from({ length: 3 }, () => {
    const run = spawnSync(process.execPath, [script], { input, encoding: 'utf8' })
    if (run.status !== 0) throw new Error(`a new process could not load the bundle: ${run.stderr}`)
    return /** @type {{ importing: number, loading: number }} */ (JSON.parse(run.stdout))
  })
  return {
    importing: Math.min(...runs.map(({ importing }) => importing)) * 1e6,
    loading: Math.min(...runs.map(({ loading }) => loading)) * 1e6,
  }
}

/**
 * @param {Setting} setting
 * @param {{ sizes: readonly number[], boundShare: number }} options
 */
async function measureEvaluation({ edictum, others, pace, announce }, { sizes, boundShare }) {
  /** @type {Group[]} */
  const groups = []
  for (const size of sizes) {
    announce(`evaluate, ${formatCount(size)} contracts, ${boundShare * 100} % bound`)
    const rules = makeRules({ count: size, boundShare })
    const contenders = []
    for (const engine of [edictum, ...others]) {
      if (isSkipped(engine, size)) continue
      const decide = await loadAndVerify(engine, rules)
      contenders.push(makeContender(engine, decide, { calls: benignCalls, expected: 'allow' }))
    }
    groups.push({ contracts: size, measurements: await measureSideBySide(contenders, pace) })
    collectAllGarbage()
  }
  return groups
}

/**
 * @param {Engine} engine
 * @param {Decide} decide
 * @param {{ calls: readonly Call[], expected: 'allow' | 'deny', name?: string }} options
 * @returns {import('../harness.mjs').Contender}
 */
function makeContender(engine, decide, { calls, expected, name = engine.name }) {
  return {
    name,
    calling: engine.deciding,
    call: (index) => decide(calls[index % calls.length] ?? benignCall),
    expected,
  }
}

/**
 * @param {string} title
 * @param {Group[]} groups
 * @returns {Section}
 */
function describeEvaluation(title, groups) {
  const skips = Object.entries(skipped).map(
    ([name, { above, reason }]) => `${name} is left out above ${formatCount(above)} rules: ${reason}.`,
  )
  return {
    title,
    columns: [
      figures('contracts'),
      words('engine'),
      ...measurementColumns,
      figures('sample'),
      figures('calls/s'),
      figures('÷ edictum'),
    ],
    rows: groups.flatMap(({ contracts, measurements }) =>
      measurements.map((measurement) => [
        formatCount(contracts),
        measurement.name,
        ...measurementCells(measurement),
        formatCount(measurement.callsPerSample),
        formatCount(measurement.callsPerSecond),
        formatRatio(measurement.best / (measurements[0]?.best ?? Number.NaN)),
      ]),
    ),
    notes: ['Below 1x the other engine is faster than Edictum; – means too few samples for a p99.', ...skips],
  }
}

/** @param {Setting} setting */
async function measureDenials({ edictum, others, pace, announce }) {
  announce('denied calls')
  const rules = makeRules({ count: 1_000, boundShare: 0.5 })
  const onCommand = boundRules(rules).filter(({ kind }) => kind === 'contains' || kind === 'matches')
  const [first, last] = [onCommand.at(0), onCommand.at(-1)]
  if (!first || !last) throw new Error('the rule mix has no rule on the command')
  const contenders = []
  for (const engine of [edictum, ...others]) {
    const decide = await loadAndVerify(engine, rules)
    for (const [position, rule] of /** @type {const} */ ([
      ['first', first],
      ['last', last],
    ])) {
      const name = `${engine.name}, ${position} rule`
      contenders.push(
        makeContender(engine, decide, { calls: [makeDeniedCall(rule)], expected: 'deny', name }),
      )
    }
  }
  const measurements = await measureSideBySide(contenders, pace)
  collectAllGarbage()
  /** @type {Section} */
  const section = {
    title: 'A denied call, 1,000 contracts, 50 % bound',
    columns: [words('engine, denied by'), ...measurementColumns],
    rows: measurements.map((measurement) => [measurement.name, ...measurementCells(measurement)]),
    notes: [
      'Edictum reports every contract that applies, so it does not stop at the first denial; cel-js and casbin do. ' +
        'An engine that stops at its first rule can be faster here.',
    ],
  }
  return { data: measurements, section }
}

/** @param {Setting} setting */
async function measureGrowth({ edictum, pace, announce }) {
  announce('growth')
  const mixes = /** @type {const} */ ([
    { mix: '50 % bound', boundShare: 0.5, patterns: 'ordinary' },
    { mix: '1 % bound', boundShare: 0.01, patterns: 'ordinary' },
    { mix: '50 % bound, patterns without fixed text', boundShare: 0.5, patterns: 'literal-free' },
  ])
  const contenders = []
  for (const { mix, boundShare, patterns } of mixes)
    for (const count of pace.growthSizes) {
      const decide = await loadAndVerify(edictum, makeRules({ count, boundShare, patterns }))
      const name = `${mix}, ${count}`
      contenders.push(makeContender(edictum, decide, { calls: benignCalls, expected: 'allow', name }))
    }
  const measurements = await measureSideBySide(contenders, pace)
  collectAllGarbage()
  /** @param {string} mix */
  const ratioOf = (mix) => bestOf(measurements, `${mix}, 10000`) / bestOf(measurements, `${mix}, 10`)
  const ratio = ratioOf(mixes[0].mix)
  /** @type {Section} */
  const section = {
    title: 'Growth: one evaluation by number of contracts',
    columns: [
      words('mix'),
      words('time'),
      ...pace.growthSizes.map((count) => figures(formatCount(count))),
      figures('10,000 ÷ 10'),
    ],
    rows: mixes.flatMap(({ mix }) => {
      const ofMix = pace.growthSizes.map((count) =>
        measurements.find(({ name }) => name === `${mix}, ${count}`),
      )
      return [
        [
          mix,
          'best',
          ...ofMix.map((measurement) => formatTime(measurement?.best ?? null)),
          formatRatio(ratioOf(mix)),
        ],
        [mix, 'p99', ...ofMix.map((measurement) => formatTime(measurement?.p99 ?? null)), ''],
      ]
    }),
    notes: [
      'At 10 contracts, 1 % means a single one.',
      'The last mix is the hard case: its patterns share no literal that could rule them out early. It has no ' +
        'target.',
    ],
  }
  const target = judge({
    goal: 'evaluate: cost(10,000) at most 2x cost(10)',
    value: ratio,
    limit: 2,
    unit: 'ratio',
  })
  return { data: measurements, section, target }
}

/** @param {Setting} setting */
function measureHostilePatterns({ pace, announce }) {
  announce('hostile patterns')
  const runs = Array.from({ length: pace.hostileProcesses }, runHostilePatterns)
  const results = (runs[0] ?? []).map(({ pattern, text, verdict }, index) => {
    const times = runs.map((run) => run[index]?.times ?? [])
    return {
      pattern,
      text,
      verdict,
      first: Math.min(...times.map(([first]) => first ?? Number.NaN)),
      median: Math.min(
        ...times.map((ofProcess) => ofProcess.toSorted((a, b) => a - b)[ofProcess.length >> 1] ?? 0),
      ),
      worst: Math.min(...times.map((ofProcess) => Math.max(...ofProcess))),
      worstSeen: Math.max(...times.flat()),
    }
  })
  /** @type {Section} */
  const section = {
    title: 'Hostile patterns: one matches contract, a text of 10 KB',
    columns: [
      words('pattern'),
      words('text'),
      words('verdict'),
      figures('first call'),
      figures('p50'),
      figures('worst call'),
      figures('worst seen'),
    ],
    rows: results.map(({ pattern, text, verdict, first, median, worst, worstSeen }) => [
      `\`${pattern}\``,
      text,
      verdict,
      ...[first, median, worst, worstSeen].map(formatTime),
    ]),
    notes: [
      `20 calls per pattern, the first included, in each of ${runs.length} new processes that had only judged ` +
        'ordinary calls before. Worst call: of the process where it was lowest, which leaves out what other ' +
        'programs on the machine did meanwhile; worst seen: of all.',
      'cel-js, casbin and json-rules-engine hand patterns to the backtracking engine of JavaScript and are not run ' +
        'here.',
    ],
  }
  const target = judge({
    id: 'T12',
    goal: 'any pattern blocks for at most 5 ms on a text of 10 KB, worst call',
    limit: 5e6,
    floor: 20e6,
    value: Math.max(...results.map(({ worst }) => worst)),
  })
  return { data: results, section, target }
}

/** @returns {{ pattern: string, text: string, verdict: string, times: number[] }[]} */
function runHostilePatterns() {
  const script = fileURLToPath(new URL('../hostile-patterns.mjs', import.meta.url))
  const run = spawnSync(process.execPath, [script], { encoding: 'utf8', timeout: 120_000 })
  if (run.status !== 0) throw new Error(`the hostile patterns did not finish: ${run.stderr}`)
  return JSON.parse(run.stdout)
}

/** @param {Setting} setting */
async function measureMemory({ edictum, others, pace, announce }) {
  announce('memory')
  /** @type {{ contracts: number, engine: string, textBytes: number, retained: number }[]} */
  const results = []
  const cases = [
    ...pace.loadSizes.map((contracts) => ({ contracts, engine: edictum })),
    ...others
      .filter(({ memory }) => memory === 'javascript heap')
      .map((engine) => ({ contracts: 1_000, engine })),
  ]
  for (const { contracts, engine } of cases) {
    const text = engine.write(makeRules({ count: contracts, boundShare: 0.5 }))
    const retained = await measureRetainedBytes(async () => {
      // A text of its own: a policy that keeps slices of its source keeps all of it.
      const decide = await engine.load(Buffer.from(text).toString())
      // What is built on the first call belongs to the policy as well.
      await decide(benignCall)
      return decide
    })
    results.push({ contracts, engine: engine.name, textBytes: Buffer.byteLength(text), retained })
  }
  /** @type {Section} */
  const section = {
    title: 'Memory: heap kept by a loaded policy after one call',
    columns: [
      figures('contracts'),
      words('engine'),
      figures('text'),
      figures('heap kept'),
      figures('per contract'),
    ],
    rows: results.map(({ contracts, engine, textBytes, retained }) => [
      formatCount(contracts),
      engine,
      formatBytes(textBytes),
      formatBytes(retained),
      `${formatCount(retained / contracts)} B`,
    ]),
    notes: ['cedar-wasm keeps its policies outside the JavaScript heap.'],
  }
  return { data: results, section }
}

/**
 * @param {readonly Measurement[]} measurements
 * @param {string} wanted
 */
function bestOf(measurements, wanted) {
  return measurements.find(({ name }) => name === wanted)?.best ?? Number.NaN
}

/**
 * A thirtieth and a hundredth of what the implementation takes that the specification was measured on.
 * @param {Group[]} groups
 */
function judgeEvaluation(groups) {
  const bestAt = (/** @type {number} */ size) =>
    groups.find(({ contracts }) => contracts === size)?.measurements[0]?.best ?? Number.NaN
  return [
    judge({
      id: 'T6',
      goal: 'evaluate, 100 contracts: at most 2 µs',
      value: bestAt(100),
      limit: 2e3,
      floor: 6e3,
    }),
    judge({
      id: 'T6',
      goal: 'evaluate, 1,000 contracts: at most 5 µs',
      value: bestAt(1_000),
      limit: 5e3,
      floor: 17e3,
    }),
  ]
}

/**
 * @param {Engine[]} others
 * @param {Group[]} groups
 * @returns {Target[]}
 */
function judgeAgainstEngines(others, groups) {
  const measurements = groups.find(({ contracts }) => contracts === 1_000)?.measurements ?? []
  const own = measurements[0]?.best ?? Number.NaN
  if (others.length === 0)
    return [{ goal: 'evaluate, 1,000 contracts: 100x each engine', measured: '–', state: 'not measured' }]
  return others.map(({ name }) => {
    const ratio = bestOf(measurements, name) / own
    const measured = ratio >= 1 ? `${formatRatio(ratio)} faster` : `${formatRatio(1 / ratio)} slower`
    const indexed = name.includes('index')
    return {
      goal: indexed
        ? `evaluate, 1,000 contracts: compared with ${name}`
        : `evaluate, 1,000 contracts: 100x ${name}`,
      measured,
      state: indexed ? 'for comparison' : ratio >= 100 ? 'met' : 'not met',
    }
  })
}
