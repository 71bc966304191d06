// An output of many megabytes: everything in it is read, and others have their turn meanwhile.
import { setImmediate as nextTurn } from 'node:timers/promises'

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { pieceLength } from '../../src/internal/overlapping-pieces.js'
import { guardOf, post } from './bundles.js'

const reads = { tools: { T: { side_effect: 'read' } } }

function matching(pattern: string): object {
  return post(
    `finds ${pattern}`.replaceAll(/[^a-z0-9]+/g, '-').replace(/-$/, ''),
    {
      'output.text': { matches: pattern },
    },
    'warn',
  )
}

/** How many turns others have while a call runs. */
async function turnsDuring(run: Promise<unknown>): Promise<number> {
  let turns = 0
  let isOver = false
  const end = () => {
    isOver = true
  }
  run.then(end, end)
  while (!isOver) {
    await nextTurn()
    turns++
  }
  return turns
}

describe('a long output', () => {
  it('is read by one pattern after the other, with a pause after every part', async () => {
    const patterns = Array.from({ length: 20 }, (_, index) => String.raw`\b\d{3}[.-]\d{${index + 1}}\b`)
    const guard = guardOf(patterns.map(matching), {}, reads)
    const output = 'nothing to be found in here, 12-3 at most. '.repeat(Math.ceil((4 * pieceLength) / 43))
    const run = guard.run('T', {}, () => output)
    // Four parts of the text for every pattern.
    expect(await turnsDuring(run)).toBeGreaterThan(4 * patterns.length)
    expect(await run).toBe(output)
  })

  it('has a pause between contracts that fire', async () => {
    const contracts = Array.from({ length: 10 }, (_, index) => matching(`needle-${index}-[a-z]`))
    const guard = guardOf(contracts, {}, reads)
    const needles = contracts.map((_, index) => `needle-${index}-x`).join(' ')
    const run = guard.run('T', {}, () => `${'hay '.repeat(pieceLength / 4)} ${needles}`)
    expect(await turnsDuring(run)).toBeGreaterThan(2 * contracts.length)
    expect(guard.localSink.events.at(-1)?.contractsEvaluated.filter(({ passed }) => !passed)).toHaveLength(10)
  })

  it('is judged like a short one, wherever in it something is found', async () => {
    const conditions = [
      { 'output.text': { matches: String.raw`\bq\d{2}-q\b` } },
      { 'output.text': { contains: 'qq1' } },
      { 'output.text': { contains_any: ['1-1', 'q-q', 'zzz'] } },
      { all: [{ 'output.text': { matches: 'q[0-9]{3}' } }, { 'output.text': { exists: true } }] },
      { any: [{ 'output.text': { ends_with: '1q' } }, { 'output.text': { gt: 3 } }] },
      { not: { 'output.text': { matches: 'q1' } } },
      { 'output.text': { equals: 'q' } },
      { 'output.text': { matches: '^ *q' } },
      { 'output.text': { matches_any: ['-q1', '[1-]{2}q[q1]'] } },
      { 'args.long': { matches: 'q1|1q' } },
    ]
    const guard = guardOf(
      conditions.map((when, index) => post(`c${index}`, when, 'warn')),
      {},
      reads,
    )
    const firing = async (output: string): Promise<readonly string[]> => {
      await guard.run('T', { long: output }, () => output)
      const records = guard.localSink.events.at(-1)?.contractsEvaluated ?? []
      return records.filter(({ passed }) => !passed).map(({ name }) => name)
    }
    const planted = fc.string({ unit: fc.constantFrom('q', '1', '-', 'q11-q', ' '), maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(planted, fc.integer({ min: -14, max: 2 }), async (text, shift) => {
        const short = `${' '.repeat(20)}${text}`
        const long = `${' '.repeat(pieceLength + shift)}${text}`
        expect(await firing(long)).toEqual(await firing(short))
      }),
      { numRuns: 60 },
    )
  })
})
