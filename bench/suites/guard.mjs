// @ts-check
// What a guard adds to a tool call, and whether it keeps its promises while it is busy: the cost of `run`, of growing
// old, the trips to a remote storage, and limits under concurrency.
import { setImmediate as nextTurn } from 'node:timers/promises'

import { Edictum, EdictumDenied, MemoryBackend } from '../../packages/edictum/dist/index.js'
import { atomicStepsOf } from '../../packages/edictum/dist/guard/ports/storage-backend.js'
import { collectAllGarbage, measureSideBySide, method, sampling } from '../harness.mjs'
import {
  figures,
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
  makeDeniedCall,
  makeRules,
  probesOf,
  writeEdictumBundle,
} from '../rules.mjs'

/**
 * @typedef {import('../../packages/edictum/dist/index.js').EdictumOptions} EdictumOptions
 * @typedef {import('../../packages/edictum/dist/index.js').ReservationRequest} ReservationRequest
 * @typedef {import('../../packages/edictum/dist/index.js').Settlement} Settlement
 * @typedef {import('../../packages/edictum/dist/index.js').StorageBackend} StorageBackend
 * @typedef {import('../harness.mjs').Contender} Contender
 * @typedef {import('../harness.mjs').Measurement} Measurement
 * @typedef {import('../report.mjs').Section} Section
 * @typedef {import('../report.mjs').Target} Target
 * @typedef {import('../rules.mjs').Call} Call
 * @typedef {import('../rules.mjs').Rule} Rule
 * @typedef {{ pace: Pace, announce: (line: string) => void }} Setting
 * @typedef {typeof paces[keyof typeof paces]} Pace
 */

/** What the targets of the specification need, often enough to be believed and quickly enough to be repeated. */
const targetBundles = [
  { contracts: 10, boundShare: 0.5 },
  { contracts: 1_000, boundShare: 0.5 },
  { contracts: 10_000, boundShare: 0.5 },
  { contracts: 10_000, boundShare: 0.01 },
]

const paces = {
  full: {
    // Many short rounds: still thousands of calls each, and some of them undisturbed on a busy machine.
    rounds: 60,
    roundMilliseconds: 30,
    bundles: [
      { contracts: 1, boundShare: 0.5 },
      { contracts: 10, boundShare: 0.5 },
      { contracts: 100, boundShare: 0.5 },
      { contracts: 1_000, boundShare: 0.5 },
      { contracts: 10_000, boundShare: 0.5 },
      { contracts: 10_000, boundShare: 0.01 },
    ],
    lives: 7,
    limitRepetitions: 100,
  },
  targets: { rounds: 60, roundMilliseconds: 30, bundles: targetBundles, lives: 3, limitRepetitions: 100 },
  quick: {
    ...sampling.quick,
    bundles: [
      { contracts: 10, boundShare: 0.5 },
      { contracts: 1_000, boundShare: 0.5 },
      { contracts: 10_000, boundShare: 0.5 },
    ],
    lives: 2,
    limitRepetitions: 10,
  },
}

/** @type {EdictumOptions} */
const outOfReach = {
  limits: { maxAttempts: Number.MAX_SAFE_INTEGER, maxToolCalls: Number.MAX_SAFE_INTEGER },
  // The default limit is 1 MiB, about 4,000 contracts of this mix.
  maxBundleBytes: 16 * 1024 * 1024,
}

const reportedOutput = benignCall.output
const returnOutput = () => reportedOutput

/**
 * @param {{ pace: keyof typeof paces, announce: (line: string) => void }} options
 * @returns {Promise<import('../report.mjs').Report>}
 */
export async function measure({ pace, announce }) {
  /** @type {Setting} */
  const setting = { pace: paces[pace], announce }
  // Before anything else has filled the heap.
  const heap = await measureHeap(setting)
  const age = await measureAge(setting)
  const allowed = await measureAllowedCalls(setting)
  const denied = await measureDeniedCalls(setting)
  const trips = await measureTrips(setting)
  const limit = await measureLimit(setting)
  const parts = [allowed, denied, age, heap, trips, limit]
  return {
    title: 'Guard: one call from decision to record',
    intro: [
      'One call is `guard.run` awaited: snapshot of the arguments, contracts before and after, session counters in ' +
        'memory, two audit events in the local sink. The tool returns a text of 89 characters at once. Session limits ' +
        'are out of reach unless they are what is measured.',
      'Contracts: the mix of the policy suite. The call is allowed, so that every bound contract counts. Before ' +
        'measuring, every guard has to run it, and to deny a call for the first and the last bound precondition of ' +
        'every kind.',
      method,
    ],
    sections: parts.map(({ section }) => section),
    targets: parts.flatMap(({ targets }) => targets),
    data: {
      allowed: allowed.data,
      denied: denied.data,
      age: age.data,
      heap: heap.data,
      trips: trips.data,
      limit: limit.data,
    },
  }
}

/** @param {readonly Rule[]} rules */
async function openVerifiedGuard(rules) {
  const guard = Edictum.fromYamlString(writeEdictumBundle(rules), outOfReach)
  for (const { call, expected, kind, about } of probesOf(rules)) {
    // A postcondition of this mix only warns.
    if (kind === 'output') continue
    const ending = await endingOf(runCall(guard, call))
    const wanted = expected === 'allow' ? 'ran' : 'denied'
    if (ending !== wanted) throw new Error(`${about} ${ending} and should have ${wanted}`)
  }
  return guard
}

/**
 * @param {Edictum} guard
 * @param {Call} call
 */
function runCall(guard, call) {
  return guard.run(call.tool, call.args, returnOutput, {
    principal: { role: call.role },
    environment: call.environment,
  })
}

/**
 * @param {Promise<unknown>} running
 * @returns {Promise<'ran' | 'denied' | 'failed'>}
 */
function endingOf(running) {
  return running.then(
    () => /** @type {const} */ ('ran'),
    (error) => (error instanceof EdictumDenied ? 'denied' : 'failed'),
  )
}

/**
 * Calls one after the other, as an agent makes them.
 * @param {Edictum} guard
 * @param {number} calls
 */
async function runInARow(guard, calls) {
  let unexpected = 0
  for (let index = 0; index < calls; index++) {
    const output = await runCall(guard, benignCalls[index % benignCalls.length] ?? benignCall)
    if (output !== reportedOutput) unexpected++
  }
  if (unexpected > 0) throw new Error(`${unexpected} of ${calls} calls did not return the output of the tool`)
}

/** @param {Setting} setting */
async function measureAllowedCalls({ pace, announce }) {
  announce('allowed calls')
  /** @type {Contender[]} */
  const contenders = []
  /** @type {Edictum[]} */
  const guards = []
  for (const { contracts, boundShare } of pace.bundles) {
    const guard = await openVerifiedGuard(makeRules({ count: contracts, boundShare }))
    guards.push(guard)
    contenders.push({
      name: nameBundle(contracts, boundShare),
      calling: 'asynchronous',
      call: (index) => {
        // A guard is alone in most processes; it should not pay for collections over the events of the others.
        if (index === 0) for (const { localSink } of guards) localSink.clear()
        return runCall(guard, benignCalls[index % benignCalls.length] ?? benignCall)
      },
      expected: reportedOutput,
    })
  }
  const measurements = await measureSideBySide(contenders, pace)
  const bestAt = (/** @type {number} */ contracts, boundShare = 0.5) =>
    measurements.find(({ name }) => name === nameBundle(contracts, boundShare))?.best ?? Number.NaN
  const growth = bestAt(10_000) / bestAt(10)
  /** @type {Section} */
  const section = {
    title: 'An allowed call by number of contracts',
    columns: [
      words('contracts'),
      ...measurementColumns,
      figures('sample'),
      figures('calls/s'),
      figures('÷ 10 contracts'),
    ],
    rows: measurements.map((measurement) => [
      measurement.name,
      ...measurementCells(measurement),
      formatCount(measurement.callsPerSample),
      formatCount(measurement.callsPerSecond),
      formatRatio(measurement.best / bestAt(10)),
    ]),
    notes: [
      'Every round starts with empty local sinks, so all events of a round stay alive. The section on age has the ' +
        'cost with a full sink.',
    ],
  }
  const targets = [
    judge({
      id: 'T1',
      goal: 'run, 10 contracts: at most 6 µs',
      value: bestAt(10),
      limit: 6e3,
      floor: 14e3,
    }),
    judge({
      id: 'T2',
      goal: 'run, 1,000 contracts: at most 8 µs',
      value: bestAt(1_000),
      limit: 8e3,
      floor: 18e3,
    }),
    judge({
      id: 'T3',
      goal: 'run, 10,000 contracts: at most 12 µs',
      value: bestAt(10_000),
      limit: 12e3,
      floor: 57e3,
    }),
    judge({
      id: 'T4',
      goal: 'run, 10,000 contracts, 1 % bound: at most 8 µs',
      value: bestAt(10_000, 0.01),
      limit: 8e3,
      floor: 13e3,
    }),
    judge({
      id: 'T5',
      goal: 'run: cost(10,000) at most 2x cost(10)',
      value: growth,
      limit: 2,
      floor: 4,
      unit: 'ratio',
    }),
  ]
  return { data: measurements, section, targets }
}

/**
 * @param {number} contracts
 * @param {number} boundShare
 */
function nameBundle(contracts, boundShare) {
  return `${formatCount(contracts)}, ${boundShare * 100} % bound`
}

/** @param {Setting} setting */
async function measureDeniedCalls({ pace, announce }) {
  announce('denied calls')
  /** @type {Contender[]} */
  const contenders = []
  for (const count of [10, 1_000]) {
    const rules = makeRules({ count, boundShare: 0.5 })
    const guard = await openVerifiedGuard(rules)
    const [first] = rules
    if (!first) throw new Error('the rule mix is empty')
    const deniedCall = makeDeniedCall(first)
    contenders.push(
      {
        name: `${formatCount(count)} contracts, allowed`,
        calling: 'asynchronous',
        call: (index) => endingOf(runCall(guard, benignCalls[index % benignCalls.length] ?? benignCall)),
        expected: 'ran',
      },
      {
        name: `${formatCount(count)} contracts, denied by the first`,
        calling: 'asynchronous',
        call: () => endingOf(runCall(guard, deniedCall)),
        expected: 'denied',
      },
    )
  }
  const measurements = await measureSideBySide(contenders, pace)
  /** @type {Section} */
  const section = {
    title: 'A denied call',
    columns: [words('call'), ...measurementColumns],
    rows: measurements.map((measurement) => [measurement.name, ...measurementCells(measurement)]),
    notes: ['A denial is thrown, so its cost includes an error with a stack.'],
  }
  return { data: measurements, section, targets: [] }
}

const callsPerWindow = 10_000
const settlingCalls = 5_000

/**
 * Old and young windows are seconds apart on a machine that has other things to do, so what counts is the processor
 * time of the whole process, collections included, and of several guards the best at every age.
 * @param {Setting} setting
 */
async function measureAge({ pace, announce }) {
  announce('100,000 calls on one guard')
  const text = writeEdictumBundle(makeRules({ count: 1_000, boundShare: 0.5 }))
  // The compiler has done its work before the first guard is born.
  await runInARow(Edictum.fromYamlString(text, outOfReach), 2 * callsPerWindow)
  /** @type {number[]} */
  const bestByAge = []
  for (let life = 0; life < pace.lives; life++) {
    collectAllGarbage()
    const guard = Edictum.fromYamlString(text, outOfReach)
    // A new guard has objects the compiled code has not seen, so the first few thousand calls are compiled anew.
    await runInARow(guard, settlingCalls)
    for (let age = 0; age <= 10; age++) {
      const start = process.cpuUsage()
      await runInARow(guard, callsPerWindow)
      const { user, system } = process.cpuUsage(start)
      const nanoseconds = ((user + system) * 1e3) / callsPerWindow
      bestByAge[age] = Math.min(bestByAge[age] ?? Number.POSITIVE_INFINITY, nanoseconds)
    }
  }
  const young = bestByAge[0] ?? Number.NaN
  const ratio = (bestByAge[10] ?? Number.NaN) / young
  /** @type {Section} */
  const section = {
    title: 'Age: processor time of one call by number of calls the guard has made, 1,000 contracts',
    columns: [figures('calls before'), figures('best'), figures('÷ start')],
    rows: bestByAge.map((nanoseconds, age) => [
      formatCount(settlingCalls + age * callsPerWindow),
      formatTime(nanoseconds),
      formatRatio(nanoseconds / young),
    ]),
    notes: [
      `Means of ${formatCount(callsPerWindow)} calls, the best of ${pace.lives} guards at every age, collections on ` +
        'other threads included. The local sink keeps 50,000 events and is full after 25,000 calls.',
    ],
  }
  const targets = [
    judge({
      id: 'T8',
      goal: 'run after 100,000 calls: at most 1.1x the start',
      value: ratio,
      limit: 1.1,
      floor: 1.3,
      unit: 'ratio',
    }),
  ]
  return { data: { settlingCalls, callsPerWindow, bestByAge, ratio }, section, targets }
}

/** @param {Setting} setting */
async function measureHeap({ announce }) {
  announce('heap')
  const results = []
  for (const contracts of [10, 1_000]) {
    const guard = await openVerifiedGuard(makeRules({ count: contracts, boundShare: 0.5 }))
    // So that code, feedback and inline caches are on the heap already, and the sink is empty again.
    await runInARow(guard, callsPerWindow)
    guard.localSink.clear()
    const growing = await weighCalls(guard, 20_000)
    await runInARow(guard, callsPerWindow)
    const full = await weighCalls(guard, 20_000)
    results.push({ contracts, growing, full, events: guard.localSink.events.length })
  }
  /** @type {Section} */
  const section = {
    title: 'Heap kept per call',
    columns: [figures('contracts'), figures('sink growing'), figures('sink full'), figures('events held')],
    rows: results.map(({ contracts, growing, full, events }) => [
      formatCount(contracts),
      `${formatCount(growing)} B`,
      `${formatCount(full)} B`,
      formatCount(events),
    ]),
    notes: [
      '20,000 calls between two full collections. The texts of the arguments belong to the caller and are the same in ' +
        'every call here; a caller with texts of its own in every call keeps those as well.',
    ],
  }
  const most = Math.max(...results.map(({ growing, full }) => Math.max(growing, full)))
  const targets = [
    judge({
      id: 'T9',
      goal: 'heap kept per call: at most 1 KB, at 10 and at 1,000 contracts',
      value: most,
      limit: 1_024,
      floor: 2_048,
      unit: 'bytes',
    }),
  ]
  return { data: results, section, targets }
}

/**
 * @param {Edictum} guard
 * @param {number} calls
 */
async function weighCalls(guard, calls) {
  await nextTurn()
  collectAllGarbage()
  const before = process.memoryUsage().heapUsed
  await runInARow(guard, calls)
  await nextTurn()
  collectAllGarbage()
  return (process.memoryUsage().heapUsed - before) / calls
}

/**
 * Answers like a storage at the other end of a wire: never at once, and not always in the order of the questions.
 * @param {MemoryBackend} memory
 * @param {'atomic steps' | 'four methods and batchGet' | 'four methods'} offer
 */
function openRemoteBackend(memory, offer) {
  const steps = atomicStepsOf(memory)
  if (!steps) throw new Error('the memory backend has no atomic steps')
  let trips = 0
  /**
   * @template Result
   * @param {() => Result | Promise<Result>} ask
   * @returns {Promise<Result>}
   */
  const travel = async (ask) => {
    const turns = 1 + (trips++ % 3)
    for (let turn = 0; turn < turns; turn++) await nextTurn()
    return ask()
  }
  /** @type {StorageBackend} */
  const fourMethods = {
    get: (key) => travel(() => memory.get(key)),
    set: (key, value) => travel(() => memory.set(key, value)),
    delete: (key) => travel(() => memory.delete(key)),
    increment: (key, amount) => travel(() => memory.increment(key, amount)),
  }
  /** @type {StorageBackend} */
  const backend = {
    ...fourMethods,
    ...(offer === 'four methods'
      ? {}
      : { batchGet: (/** @type {readonly string[]} */ keys) => travel(() => memory.batchGet(keys)) }),
    ...(offer === 'atomic steps'
      ? {
          reserve: (/** @type {ReservationRequest} */ request) => travel(() => steps.reserve(request)),
          settle: (/** @type {Settlement} */ settlement) => travel(() => steps.settle(settlement)),
        }
      : {}),
  }
  return { backend, tripsSoFar: () => trips }
}

/** @param {Setting} setting */
async function measureTrips({ announce }) {
  announce('trips to a remote storage')
  const text = writeEdictumBundle(makeRules({ count: 100, boundShare: 0.5 }))
  const calls = 200
  const results = []
  for (const offer of /** @type {const} */ (['atomic steps', 'four methods and batchGet', 'four methods'])) {
    const { backend, tripsSoFar } = openRemoteBackend(new MemoryBackend(), offer)
    await runInARow(Edictum.fromYamlString(text, { ...outOfReach, backend }), calls)
    results.push({ offer, tripsPerCall: tripsSoFar() / calls })
  }
  /** @type {Section} */
  const section = {
    title: 'Trips to a remote storage per allowed call',
    columns: [words('the storage offers'), figures('trips')],
    rows: results.map(({ offer, tripsPerCall }) => [offer, String(tripsPerCall)]),
    notes: ['Atomic steps are `reserve` and `settle`.'],
  }
  const targets = [
    judge({
      goal: 'trips to a storage with atomic steps: 2',
      value: results[0]?.tripsPerCall ?? Number.NaN,
      limit: 2,
      floor: 3,
      unit: 'count',
    }),
  ]
  return { data: results, section, targets }
}

const toolLimit = 50
const concurrentCalls = 1_000

/** @param {Setting} setting */
async function measureLimit({ pace, announce }) {
  announce('limit under concurrency')
  const text = writeEdictumBundle(makeRules({ count: 10, boundShare: 0.5 }))
  const memory = () => new MemoryBackend()
  const backends = [
    { name: 'memory', open: memory },
    { name: 'remote, atomic steps', open: () => openRemoteBackend(memory(), 'atomic steps').backend },
    { name: 'remote, four methods', open: () => openRemoteBackend(memory(), 'four methods').backend },
  ]
  const results = []
  for (const { name, open } of backends) {
    const guard = Edictum.fromYamlString(text, {
      ...outOfReach,
      limits: { maxAttempts: Number.MAX_SAFE_INTEGER, maxToolCalls: toolLimit },
      backend: open(),
    })
    const executed = []
    for (let repetition = 0; repetition < pace.limitRepetitions; repetition++)
      executed.push(await countExecutions(guard, `session-${repetition}`))
    results.push({ name, least: Math.min(...executed), most: Math.max(...executed) })
  }
  /** @type {Section} */
  const section = {
    title: `A limit of ${toolLimit} and ${formatCount(concurrentCalls)} calls at once`,
    columns: [words('storage'), figures('repetitions'), figures('fewest ran'), figures('most ran')],
    rows: results.map(({ name, least, most }) => [
      name,
      formatCount(pace.limitRepetitions),
      formatCount(least),
      formatCount(most),
    ]),
    notes: ['The tool is still running when the later calls ask. Every other call has to end as a denial.'],
  }
  const targets = results.map(
    ({ name, least, most }) =>
      /** @type {Target} */ ({
        goal: `exactly ${toolLimit} of ${formatCount(concurrentCalls)} run, ${pace.limitRepetitions} times: ${name}`,
        measured: least === most ? formatCount(most) : `${formatCount(least)} to ${formatCount(most)}`,
        state: least === toolLimit && most === toolLimit ? 'met' : 'not met',
      }),
  )
  return { data: results, section, targets }
}

/**
 * @param {Edictum} guard
 * @param {string} sessionId
 */
async function countExecutions(guard, sessionId) {
  let executed = 0
  const countExecution = async () => {
    executed++
    await nextTurn()
  }
  const endings = await Promise.all(
    Array.from({ length: concurrentCalls }, () =>
      endingOf(
        guard.run(benignCall.tool, benignCall.args, countExecution, {
          sessionId,
          principal: { role: benignCall.role },
          environment: benignCall.environment,
        }),
      ),
    ),
  )
  const ran = endings.filter((ending) => ending === 'ran').length
  const denied = endings.filter((ending) => ending === 'denied').length
  if (ran !== executed || ran + denied !== concurrentCalls)
    throw new Error(`${executed} tools were executed, but ${ran} calls ran and ${denied} were denied`)
  return executed
}
