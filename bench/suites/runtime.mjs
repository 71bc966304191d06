// @ts-check
// What the runtime adds to a guarded call: gates, arguments, deadline, outcome. Compared with `guard.run` in the same run.
import { MemoryArtifactStore } from '../../packages/edictum/dist/artifacts.js'
import { Edictum } from '../../packages/edictum/dist/index.js'
import { ToolRuntime } from '../../packages/edictum/dist/runtime/index.js'
import { measureSideBySide, method, sampling } from '../harness.mjs'
import { figures, formatRatio, formatTime, measurementCells, measurementColumns, words } from '../report.mjs'
import { benignCall, benignCalls, makeRules, writeEdictumBundle } from '../rules.mjs'

/**
 * @typedef {import('../harness.mjs').Contender} Contender
 * @typedef {import('../../packages/edictum/dist/runtime/index.js').RuntimeTool} RuntimeTool
 */

const callsPerTurn = 20
const reported = benignCall.output
const oversized = 'x'.repeat(13_000)

/** @returns {Edictum} */
function openGuard() {
  return Edictum.fromYamlString(writeEdictumBundle(makeRules({ count: 10, boundShare: 0.5 })), {
    limits: { maxAttempts: Number.MAX_SAFE_INTEGER, maxToolCalls: Number.MAX_SAFE_INTEGER },
  })
}

/**
 * A contender that makes every call through a runtime of its own, some calls to a turn.
 * @param {string} name
 * @param {RuntimeTool} tool
 * @param {string} expected
 * @returns {Contender}
 */
function throughRuntime(name, tool, expected) {
  const guard = openGuard()
  const limits = { totalBytes: 2 ** 40, sessionBytes: 2 ** 40, totalArtifacts: 1e9, sessionArtifacts: 1e9 }
  const artifacts = new MemoryArtifactStore({ limits, ttlSeconds: 1 })
  const runtime = new ToolRuntime({ guard, artifacts, tools: { [benignCall.tool]: tool } })
  let turn = runtime.startTurn()
  let made = 0
  return {
    name,
    calling: 'asynchronous',
    call: async (index) => {
      if (index === 0) guard.localSink.clear()
      const call = benignCalls[index % benignCalls.length] ?? benignCall
      if (made++ % callsPerTurn === 0) {
        turn.close()
        const { role, environment } = call
        turn = runtime.startTurn({ maxToolCalls: callsPerTurn, principal: { role }, environment })
      }
      const [outcome] = await turn.run([{ id: String(index), name: call.tool, arguments: call.args }])
      return outcome?.kind
    },
    expected,
  }
}

/**
 * @param {{ pace: keyof typeof sampling, announce: (line: string) => void }} options
 * @returns {Promise<import('../report.mjs').Report>}
 */
export async function measure({ pace, announce }) {
  announce('one call through guard and runtime')
  const guard = openGuard()
  /** @type {Contender} */
  const bare = {
    name: 'guard.run',
    calling: 'asynchronous',
    call: (index) => {
      if (index === 0) guard.localSink.clear()
      const { tool, args, role, environment } = benignCalls[index % benignCalls.length] ?? benignCall
      return guard.run(tool, args, () => reported, { principal: { role }, environment })
    },
    expected: reported,
  }
  const parameters = { type: 'object', additionalProperties: true }
  const measurements = await measureSideBySide(
    [
      bare,
      throughRuntime('runtime', { execute: () => reported }, 'executed'),
      throughRuntime('runtime, schema checked', { parameters, execute: () => reported }, 'executed'),
      throughRuntime('runtime, tool answers later', { execute: async () => reported }, 'executed'),
    ],
    sampling[pace],
  )
  // By itself: what it stores stays in memory for a while, and the others should not pay for collecting it.
  const stored = await measureSideBySide(
    [throughRuntime('runtime, output stored', { execute: () => oversized }, 'artifact')],
    sampling[pace],
  )
  const [base, inline] = measurements
  const added = (inline?.p50 ?? Number.NaN) - (base?.p50 ?? Number.NaN)
  const addedAtBest = (inline?.best ?? Number.NaN) - (base?.best ?? Number.NaN)
  return {
    title: 'Runtime: one call from wish to outcome',
    intro: [
      'One call is one tool call of a turn, awaited: `turn.run` with a single call, twenty calls to a turn, the cost of ' +
        'making the turn included. `guard.run` makes the same call of the same tool under the same ten contracts.',
      method,
    ],
    sections: [
      {
        title: 'A call by what it does',
        columns: [words('call'), ...measurementColumns, figures('p50 − guard.run'), figures('÷ guard.run')],
        rows: [...measurements, ...stored].map((measurement) => [
          measurement.name,
          ...measurementCells(measurement),
          formatTime(measurement.p50 - (base?.p50 ?? Number.NaN)),
          formatRatio(measurement.best / (base?.best ?? Number.NaN)),
        ]),
      },
    ],
    targets: [
      {
        goal: 'an inline result: at most 5 µs over guard.run, p50',
        measured: `${formatTime(added)} (best rounds: ${formatTime(addedAtBest)})`,
        state: added <= 5e3 ? 'met' : 'not met',
      },
    ],
    data: [...measurements, ...stored],
  }
}
