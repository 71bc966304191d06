import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { runWave, type Schedulable, scheduleWaves } from './tool-scheduler.js'

interface Named extends Schedulable {
  readonly name: string
}

const read = (name: string, ...resourceKeys: string[]): Named => ({
  name,
  safetyClass: 'read_only',
  resourceKeys,
})
const write = (name: string): Named => ({ name, safetyClass: 'local_write', resourceKeys: [name] })

const namesOf = (calls: readonly Named[]) =>
  scheduleWaves(calls, (call) => call).map((wave) => wave.map(({ name }) => name).join('+'))

describe('scheduling', () => {
  it('runs reads of different things together', () => {
    expect(namesOf([read('a', 'x'), read('b', 'y'), read('c', 'z')])).toEqual(['a+b+c'])
  })

  it('gives a read that touches the same thing a wave of its own', () => {
    expect(namesOf([read('a', 'x'), read('b', 'y'), read('c', 'x'), read('d', 'x')])).toEqual([
      'a+b',
      'c',
      'd',
    ])
  })

  it.each(['local_write', 'network', 'destructive'] as const)('runs %s calls alone', (safetyClass) => {
    const alone: Named = { name: 'w', safetyClass, resourceKeys: ['elsewhere'] }
    expect(namesOf([read('a', 'x'), alone, read('b', 'y')])).toEqual(['a', 'w', 'b'])
  })

  it('keeps the order of the model, and runs together only reads with nothing in common', () => {
    const anyCall = fc.oneof(
      fc
        .array(fc.constantFrom('x', 'y', 'z', 'u', 'v'), { minLength: 1, maxLength: 2 })
        .map((keys) => read('r', ...keys)),
      fc.constant(write('w')),
    )
    fc.assert(
      fc.property(fc.array(anyCall, { maxLength: 12 }), (calls) => {
        const waves = scheduleWaves(calls, (call) => call)
        expect(waves.flat()).toEqual(calls)
        for (const wave of waves.filter(({ length }) => length > 1)) {
          const keys = wave.flatMap(({ resourceKeys }) => [...new Set(resourceKeys)])
          expect(new Set(keys).size).toBe(keys.length)
          expect(wave.every(({ safetyClass }) => safetyClass === 'read_only')).toBe(true)
        }
      }),
    )
  })
})

describe('a wave', () => {
  it('runs no more at a time than it may, and answers in order', async () => {
    let running = 0
    let most = 0
    const results = await runWave(
      [5, 1, 4, 2, 3],
      async (turns) => {
        most = Math.max(most, ++running)
        for (let turn = 0; turn < turns; turn++) await Promise.resolve()
        running--
        return turns
      },
      2,
    )
    expect({ results, most }).toEqual({ results: [5, 1, 4, 2, 3], most: 2 })
  })
})
