// @ts-check
// Runs in a process of its own: patterns that take a backtracking engine for ever, each as the one contract of a
// new guard, on a text of 10 KB that is made for it. Prints the nanoseconds of every single evaluation.
import { openEdictum } from './engines.mjs'
import { benignCall, benignCalls, calledTool, makeRules } from './rules.mjs'

const textLength = 10 * 1024
const callsPerPattern = 20

/** @type {readonly { pattern: string, filler: string, tail: string, expected: 'allow' | 'deny' }[]} */
const hostilePatterns = [
  { pattern: '(a+)+$', filler: 'a', tail: '!', expected: 'allow' },
  { pattern: '(.*a){20}', filler: 'b', tail: 'aaa', expected: 'allow' },
  { pattern: '(.*a){20}', filler: 'a', tail: '', expected: 'deny' },
  { pattern: '(.*a){20}$', filler: 'a', tail: 'b', expected: 'allow' },
  { pattern: '^(([a-z])+.)+[A-Z]([a-z])+$', filler: 'a', tail: '', expected: 'allow' },
  { pattern: '(x+x+)+y', filler: 'x', tail: '', expected: 'allow' },
  { pattern: '^(\\w+\\s?)*$', filler: 'a', tail: '!', expected: 'allow' },
  { pattern: '.*.*=.*', filler: 'x', tail: '', expected: 'allow' },
]

const edictum = await openEdictum()

const ordinary = await edictum.load(edictum.write(makeRules({ count: 10, boundShare: 0.5 })))
for (let index = 0; index < 1_000; index++)
  await ordinary(benignCalls[index % benignCalls.length] ?? benignCall)

const results = []
for (const { pattern, filler, tail, expected } of hostilePatterns) {
  const command = filler.repeat(textLength - tail.length) + tail
  const call = { ...benignCall, args: { ...benignCall.args, command } }
  const decide = await edictum.load(
    edictum.write([
      { number: '00000', tool: calledTool, kind: 'matches', pattern, wildcard: '', sample: '' },
    ]),
  )
  const times = []
  for (let index = 0; index < callsPerPattern; index++) {
    const start = performance.now()
    const verdict = decide(call)
    times.push((performance.now() - start) * 1e6)
    if (verdict !== expected) throw new Error(`edictum does not say ${expected} to ${pattern}`)
  }
  results.push({ pattern, text: `${filler}…${tail}`, verdict: expected, times })
}
console.log(JSON.stringify(results))
