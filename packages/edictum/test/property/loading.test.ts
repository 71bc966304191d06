// Whatever the text, loading ends soon, in a guard or in one kind of error.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Edictum, EdictumConfigError } from '../../src/index.js'
import { rawDocument } from '../generators.js'

// Generous, because the machine may be busy: what is hostile here would take minutes if it got through.
const mostMilliseconds = 10_000

function load(content: string | Uint8Array): unknown {
  const start = performance.now()
  try {
    return Edictum.fromYamlString(content)
  } catch (error) {
    return error
  } finally {
    expect(performance.now() - start).toBeLessThan(mostMilliseconds)
  }
}

function expectGuardOrConfigError(outcome: unknown): void {
  if (outcome instanceof Edictum) return
  expect(outcome).toBeInstanceOf(EdictumConfigError)
  const { diagnostics, message } = outcome as EdictumConfigError
  expect(message).not.toBe('')
  expect(diagnostics.length).toBeGreaterThan(0)
  for (const { code, line = 1, column = 1 } of diagnostics) {
    expect(code).toMatch(/^[a-z]+(-[a-z0-9]+)*$/)
    expect(line).toBeGreaterThanOrEqual(1)
    expect(column).toBeGreaterThanOrEqual(1)
  }
}

/** What was let through must not be hostile to calls either. */
function expectQuickAnswer(outcome: unknown): void {
  if (!(outcome instanceof Edictum)) return
  const start = performance.now()
  outcome.evaluate('a'.repeat(5_000), { a: `${'a'.repeat(20_000)}!` })
  expect(performance.now() - start).toBeLessThan(mostMilliseconds)
}

const header =
  'apiVersion: edictum/v1\nkind: ContractBundle\nmetadata: { name: x }\ndefaults: { mode: enforce }\n'
const nested = (opening: string, closing: string, depth: number) =>
  `${header}contracts: ${opening.repeat(depth)}${closing.repeat(depth)}`
const doublings = Array.from(
  { length: 40 },
  (_, index) => `a${index + 1}: &a${index + 1} [*a${index}, *a${index}]`,
)

const hostileTexts = {
  'a chain of doubling aliases': `a0: &a0 x\n${doublings.join('\n')}\n`,
  'an alias that contains itself': `${header}contracts: &loop [*loop]\n`,
  'ten thousand aliases of one anchor': `a: &a x\nb: [${'*a, '.repeat(10_000)}]\n`,
  'a hundred thousand nested lists': nested('[', ']', 100_000),
  'a hundred thousand nested mappings': nested('{a: ', '}', 100_000),
  'lists nested by indentation': `${header}contracts:\n${'- '.repeat(20_000)}x\n`,
  'a hundred thousand brackets never closed': `${header}contracts: ${'['.repeat(100_000)}`,
  'a quarter of a million equal keys': `{${'a,'.repeat(250_000)}}`,
  'sixty thousand different keys': Array.from({ length: 60_000 }, (_, index) => `k${index}: 1`).join('\n'),
  'one very long plain text': `${header}contracts: ${'x '.repeat(400_000)}`,
  'one very long quoted text': `${header}contracts: "${'\\n'.repeat(400_000)}"`,
  'a very long number': `${header}contracts: ${'9'.repeat(500_000)}`,
  'a very long line of dashes': '-'.repeat(900_000),
  'a very long run of blanks': ' '.repeat(900_000),
  'a very long run of line breaks': '\n'.repeat(900_000),
  'fifty thousand documents': '---\n'.repeat(50_000),
  'a pattern of nested repetitions': pattern(`${'('.repeat(1000)}a${')+'.repeat(1000)}`),
  'a pattern with a huge count': pattern('(((a{1000}){1000}){1000}){1000}'),
  'a pattern with ten thousand alternatives': pattern('a|'.repeat(4_999) + 'a'),
  'a tool glob of ten thousand stars': tool('*'.repeat(10_000)),
  'a tool glob of a million stars': tool('*a'.repeat(500_000)),
}

function pattern(source: string): string {
  return contract({ tool: '*', when: { 'args.a': { matches: source } } })
}

function tool(glob: string): string {
  return contract({ tool: glob, when: { 'args.a': { exists: true } } })
}

function contract(fields: Readonly<Record<string, unknown>>): string {
  const one = { id: 'x', type: 'pre', then: { effect: 'deny', message: 'x' }, ...fields }
  return `${header}contracts: ${JSON.stringify([one])}`
}

describe('loading', () => {
  it('throws nothing but configuration errors, whatever the text', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(rawDocument, (content) => {
        expectGuardOrConfigError(load(content))
      }),
      { numRuns: 1500 },
    )
  })

  it('reads bytes like the text they spell', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 80 }), (text) => {
        const fromText = load(`${header}contracts: [${text}]`)
        const fromBytes = load(new TextEncoder().encode(`${header}contracts: [${text}]`))
        expect(String(fromBytes)).toBe(String(fromText))
      }),
      { numRuns: 200 },
    )
  })

  it.each(Object.entries(hostileTexts))('comes to an end with %s', { timeout: 30_000 }, (_, text) => {
    const outcome = load(text)
    expectGuardOrConfigError(outcome)
    expectQuickAnswer(outcome)
  })
})
