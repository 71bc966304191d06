// Ten thousand calls leave nothing behind: no timers, no listeners, no memory that grows with them.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

import { describe, expect, it } from 'vitest'

import { Edictum } from '../../src/index.js'
import {
  type RuntimeClock,
  type RuntimeTool,
  type ToolOutcome,
  ToolRuntime,
} from '../../src/runtime/index.js'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const tools: Readonly<Record<string, RuntimeTool>> = {
  now: { sideEffect: 'read', execute: () => ({ fine: true }) },
  later: { sideEffect: 'read', execute: async (_, { signal }) => !signal.aborted },
  fails: {
    sideEffect: 'read',
    execute: async () => {
      throw new Error('boom')
    },
  },
  hangs: {
    sideEffect: 'read',
    timeoutS: 0.001,
    retryOnTimeout: true,
    execute: async () => new Promise(() => undefined),
  },
}

/** Counts listeners as they come and go. */
class CountingSignal {
  readonly controller = new AbortController()
  listeners = 0

  constructor() {
    const { signal } = this.controller
    const { addEventListener, removeEventListener } = signal
    signal.addEventListener = (...given: Parameters<AbortSignal['addEventListener']>) => {
      this.listeners++
      addEventListener.apply(signal, given)
    }
    signal.removeEventListener = (...given: Parameters<AbortSignal['removeEventListener']>) => {
      this.listeners--
      removeEventListener.apply(signal, given)
    }
  }
}

/** The real clock, with its open timers counted. */
class CountingClock implements RuntimeClock {
  readonly #open = new Set<unknown>()
  set = 0

  now(): number {
    return performance.now()
  }

  setTimeout(callback: () => void, milliseconds: number): unknown {
    const timer = setTimeout(() => {
      this.#open.delete(timer)
      callback()
    }, milliseconds)
    this.#open.add(timer)
    this.set++
    return timer
  }

  clearTimeout(timer: unknown): void {
    this.#open.delete(timer)
    clearTimeout(timer as NodeJS.Timeout)
  }

  get open(): number {
    return this.#open.size
  }
}

describe('10,000 calls', () => {
  it(
    'leave no timer and no listener behind, and memory stays where it was',
    { timeout: 120_000 },
    async () => {
      const limits = { maxAttempts: 1_000_000, maxToolCalls: 1_000_000 }
      const guard = new Edictum({ limits })
      const clock = new CountingClock()
      const runtime = new ToolRuntime({ guard, tools, clock, maxAbandonedCalls: 1_000_000 })
      const outer = new CountingSignal()
      const kinds = new Map<ToolOutcome['kind'], number>()
      const runTurns = async (turns: number) => {
        for (let number = 0; number < turns; number++) {
          const turn = runtime.startTurn({
            sessionId: 's',
            maxToolCalls: 10,
            signal: outer.controller.signal,
          })
          const names = ['now', 'later', 'fails', 'now', 'later', 'now', 'later', 'now', 'fails']
          const calls = [...names, ...(number % 20 === 0 ? ['hangs'] : ['now'])].map((name, index) => ({
            id: `${number}-${index}`,
            name,
            arguments: { number, index },
          }))
          for (const { kind } of await turn.run(calls)) kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
          turn.close()
        }
        guard.localSink.clear()
        collectGarbage()
        return process.memoryUsage().heapUsed
      }
      await runTurns(300)
      const young = await runTurns(200)
      const old = await runTurns(500)
      expect([clock.set > 1_000, clock.open, outer.listeners]).toEqual([true, 0, 0])
      expect((old - young) / 5_000).toBeLessThan(100)
      expect(Object.fromEntries(kinds)).toEqual({ executed: 7_950, failure: 2_000, timeout: 50 })
    },
  )
})
