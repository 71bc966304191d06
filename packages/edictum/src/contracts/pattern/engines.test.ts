import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { proveLinear } from './analyse.js'
import { compileForRe2, limitToAscii } from '../../../test/re2-oracle.js'
import { reachOf, testInPieces } from './in-pieces.js'
import { createLinearMatcher } from './linear.js'
import type { Matcher } from './matcher.js'
import { createNativeMatcher } from './native.js'
import { parsePattern } from './parse.js'
import { isSmall } from './program.js'
import { findRequiredLiterals } from './required-literals.js'
import { type PatternNode, findLook } from './syntax-tree.js'
import { factorChoices } from './word-tree.js'

const atoms = [
  ...['a', 'b', 'k', 's', 'x', '0', '_', '-', 'é', '😀', 'ab', 'ba', 'xxa'],
  ...['.', '\\d', '\\w', '\\s', '\\D', '\\W', '\\S', '\\n', '\\xa0', '\\u2028', '\\ud83d'],
  ...['[ab]', '[^a]', '[a-k0-9]', '[^\\s]', '[\\w-]', '[^\\W_]', '[é-\\U0001F600]', '[K-S]'],
  ...['ж', '𐐀', '[^\\W\\d]', '[\\W\\d]', '(?a:\\w)', '(?a:\\b)', '(?a:\\B)'],
]
const assertions = ['^', '$', '\\A', '\\Z', '\\b', '\\B', '\\b', '\\B']
const looks = ['(?=a)', '(?!b)', '(?<=a)', '(?<!\\w)', '(?!\\w\\d)', '(?<=ab|xa)']
const quantifiers = ['*', '+', '?', '*?', '+?', '??', '{2}', '{1,3}', '{,2}', '{2,}', '{0,3}?', '{3,40}']
const openings = ['(', '(?:', '(?i:', '(?s:', '(?m:', '(?-i:']

const { pattern } = fc.letrec<{ sequence: string; item: string; atom: string; pattern: string }>((tie) => ({
  atom: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { arbitrary: fc.constantFrom(...atoms), weight: 6 },
    {
      arbitrary: fc
        .tuple(fc.constantFrom(...openings), fc.array(tie('sequence'), { minLength: 1, maxLength: 3 }))
        .map(([opening, branches]) => `${opening}${branches.join('|')})`),
      weight: 2,
    },
  ),
  item: fc.oneof(
    { arbitrary: fc.constantFrom(...assertions), weight: 1 },
    { arbitrary: fc.constantFrom(...looks), weight: 1 },
    { arbitrary: tie('atom'), weight: 4 },
    {
      arbitrary: fc.tuple(tie('atom'), fc.constantFrom(...quantifiers)).map(([atom, q]) => `(?:${atom})${q}`),
      weight: 4,
    },
  ),
  sequence: fc.array(tie('item'), { minLength: 1, maxLength: 4 }).map((items) => items.join('')),
  pattern: fc
    .tuple(
      fc.constantFrom('', '', '(?i)', '(?m)', '(?s)', '(?ims)'),
      tie('sequence'),
      fc.option(tie('sequence')),
    )
    .map(([flags, first, second]) => flags + (second === null ? first : `${first}|${second}`)),
}))

const characters = [
  ...['a', 'b', 'A', 'k', 'K', '\u212a', 's', '\u017f', 'x', '0', '9', '_', '-', ' ', '\n', '\n', '\r'],
  ...['\u2028', '\u00a0', 'é', 'É', '😀', '\ud83d', '\ude00'],
  ...['ж', '٣', '²', '\u0301', '𐐀', '𝟘'],
]
const text = fc.array(fc.constantFrom(...characters), { maxLength: 24 }).map((chars) => chars.join(''))

function parse(source: string): PatternNode {
  const parsed = parsePattern(source)
  if (!parsed.ok) throw new Error(`${source}: ${parsed.problem.message}`)
  return parsed.tree
}

function nativeMatcher(tree: PatternNode): Matcher | undefined {
  const factored = factorChoices(tree)
  const proof = proveLinear(factored)
  const fallback = (): undefined => undefined
  return proof.safe ? createNativeMatcher(factored, { headLoop: proof.headLoop, fallback }) : undefined
}

function lastOf<Value>(steps: Generator<undefined, Value>): Value {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

describe('the engines', () => {
  it('agree on what matches and where', () => {
    let compared = 0
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 5, maxLength: 5 }), (source, texts) => {
        const tree = parse(source)
        const native = nativeMatcher(tree)
        const linear = createLinearMatcher(tree)
        const re2 = compileForRe2(tree)
        const re2OnAscii = compileForRe2(limitToAscii(tree))
        expect(isSmall(tree) && !linear).toBe(false)
        for (const sample of texts) {
          if (native && linear) {
            compared++
            expect(native.test(sample)).toBe(linear.test(sample))
            expect(native.replaceAll(sample, '<>')).toBe(linear.replaceAll(sample, '<>'))
          }
          if (linear && re2) expect(re2.test(sample)).toBe(linear.test(sample))
          const plain = sample.replace(/[\u0080-\uffff]/g, '')
          if (linear && re2OnAscii) expect(re2OnAscii.test(plain)).toBe(linear.test(plain))
        }
      }),
      { numRuns: 1_500 },
    )
    expect(compared).toBeGreaterThan(500)
  })

  it('agree on texts that span several blocks', () => {
    const filler = fc.constantFrom('a', 'ab ', '😀', 'x\n', '0-')
    fc.assert(
      fc.property(pattern, fc.array(filler, { minLength: 1, maxLength: 3 }), text, (source, parts, tail) => {
        const tree = parse(source)
        const native = nativeMatcher(tree)
        const linear = createLinearMatcher(tree)
        if (!native || !linear) return
        const unit = parts.join('')
        const long = unit.repeat(Math.ceil(9_000 / unit.length)) + tail
        expect(native.replaceAll(long, '<>')).toBe(linear.replaceAll(long, '<>'))
      }),
      { numRuns: 60 },
    )
  })

  it('find in pieces, with pauses, exactly what they find in the whole', () => {
    let read = 0
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 5, maxLength: 5 }), (source, texts) => {
        const tree = parse(source)
        const matcher = nativeMatcher(tree) ?? createLinearMatcher(tree)
        const reach = reachOf(tree)
        if (!matcher || reach === Infinity) return
        const length = reach + 3
        // Whatever the text and the place in it, where one piece ends and the next begins.
        for (const sample of [...texts, texts.join(''), `${'x'.repeat(length)}${texts.join('')}`]) {
          const steps = testInPieces(sample, { test: matcher.test, reach }, length)
          if (sample.length > length) read++
          expect(lastOf(steps)).toBe(matcher.test(sample))
        }
      }),
      { numRuns: 3_000 },
    )
    expect(read).toBeGreaterThan(500)
  })

  it.each(['a\\Z', '^ab', 'ab$', '(?=a)b', '(?<!a)b', 'a.*b'])('read %s in one piece', (source) => {
    expect(reachOf(parse(source))).toBe(Infinity)
  })

  it('find a required literal in whatever matches', () => {
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 5, maxLength: 5 }), (source, texts) => {
        const tree = parse(source)
        const literals = findRequiredLiterals(tree)
        const matcher = nativeMatcher(tree) ?? createLinearMatcher(tree)
        if (!literals || !matcher) return
        expect(literals.length).toBeLessThanOrEqual(8)
        for (const sample of texts)
          if (matcher.test(sample)) expect(literals.some((literal) => sample.includes(literal))).toBe(true)
      }),
      { numRuns: 1_000 },
    )
  })
})

/**
 * The best of some attempts in milliseconds, since other work on the machine only ever adds. Where the machine is
 * slower than usual all the same, a fixed piece of work tells by how much.
 */
function fastest(limit: number, run: () => unknown): number {
  let best = Infinity
  let usual = Infinity
  for (let attempt = 0; attempt < 15; attempt++) {
    best = Math.min(best, timeOf(run))
    if (best < limit) return best
    usual = Math.min(usual, timeOf(fixedWork))
  }
  return best / Math.max(1, usual)
}

function timeOf(run: () => unknown): number {
  const start = performance.now()
  run()
  return performance.now() - start
}

/** Takes about a millisecond when nothing else runs. */
function fixedWork(): number {
  let value = 1
  for (let i = 0; i < 1_000_000; i++) value = (Math.imul(value, 31) + i) | 0
  return value
}

function hostileTexts(units: readonly string[], length: number): readonly string[] {
  const pump = (unit: string, size: number): string =>
    unit.repeat(Math.ceil(size / unit.length)).slice(0, size)
  return units.flatMap((unit, i) => {
    const other = units[(i + 1) % units.length] ?? unit
    return [pump(unit, length), pump(unit, length / 2) + pump(other, length / 2), pump(unit + other, length)]
  })
}

describe('on hostile texts of 10,000 characters', () => {
  const unit = fc.array(fc.constantFrom('a', 'b', 'x', '0', '-', ' ', '_', '\n', 'ab', 'xxa', 'k'), {
    minLength: 1,
    maxLength: 3,
  })
  const units = fc.array(
    unit.map((parts) => parts.join('')),
    { minLength: 3, maxLength: 3 },
  )

  it('proven patterns stay fast on the native engine', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(pattern, units, (source, [...parts]) => {
        const native = nativeMatcher(parse(source))
        if (!native) return
        for (const hostile of hostileTexts(parts, 10_000)) {
          expect(fastest(5, () => native.test(hostile))).toBeLessThan(5)
          expect(fastest(10, () => native.replaceAll(hostile, ''))).toBeLessThan(10)
        }
      }),
      { numRuns: 150 },
    )
  })

  it('all other patterns stay fast on the linear engine', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(pattern, units, (source, [...parts]) => {
        const tree = parse(source)
        const linear = findLook(tree) ? undefined : createLinearMatcher(tree)
        if (!linear) return
        for (const hostile of hostileTexts(parts, 10_000)) {
          expect(fastest(5, () => linear.test(hostile))).toBeLessThan(5)
          expect(fastest(10, () => linear.replaceAll(hostile, ''))).toBeLessThan(10)
        }
      }),
      { numRuns: 60 },
    )
  })

  it.each([
    ['(a+)+$', 'a', '!'],
    ['(.*a){20}$', 'a', 'b'],
    ['(x+x+)+y', 'x', ''],
    ['^(\\w+\\s?)*$', 'a', '!'],
    ['.*.*=.*', 'x', ''],
    ['(a|aa)+$', 'a', 'b'],
    ['(?:a?){25}a{25}c', 'a', ' c'],
    ['[ab]*a[ab]{12}c', 'abbabaaabb', ' c'],
    ['x.*a.{40}c', 'xaxxaaxaaax', ''],
    ['\\w{1,400}!x', 'a', ' !x'],
    ['ssh.*-o.{0,40}ProxyCommand', 'ssh-o-o', '\nProxyCommand'],
  ])('%s stays fast', (source, part, end) => {
    const linear = createLinearMatcher(parse(source))
    const hostile = part.repeat(Math.ceil(10_000 / part.length)) + end
    expect(fastest(5, () => linear?.test(hostile))).toBeLessThan(5)
    expect(linear?.test(hostile)).toBe(false)
  })

  it('replacing does not look past every match again', () => {
    const linear = createLinearMatcher(parse('a.*b|c'))
    const hostile = 'ac'.repeat(5_000)
    expect(linear?.replaceAll(hostile, '-')).toBe('a-'.repeat(5_000))
    expect(fastest(10, () => linear?.replaceAll(hostile, '-'))).toBeLessThan(10)
  })

  it('reading on does not make it slower', () => {
    const linear = createLinearMatcher(parse('x.*a.{12}c'))
    const hostile = 'xaxxaaxaaax'.repeat(900)
    for (let i = 0; i < 12; i++) linear?.test(hostile)
    expect(fastest(5, () => linear?.test(hostile))).toBeLessThan(5)
  })

  it('a text that leads to ever new states is read to its end all the same', () => {
    const linear = createLinearMatcher(parse('x.*a.{12}c'))
    const varied = Array.from({ length: 4_000 }, (_, i) =>
      Math.imul(i, 2_654_435_761) & 64 ? 'a' : 'b',
    ).join('')
    expect(linear?.test(`x${varied}`)).toBe(false)
    expect(linear?.test(`xa${'b'.repeat(12)}c${varied}`)).toBe(true)
    expect(linear?.test(`x${varied}a${'b'.repeat(12)}c`)).toBe(true)
  })

  it('a text of more kinds of characters than the table has columns is read to its end all the same', () => {
    const kinds = Array.from({ length: 90 }, (_, i) => String.fromCodePoint(0x400 + 2 * i)).join('')
    const linear = createLinearMatcher(parse(kinds))
    expect(linear?.test(`${kinds} `)).toBe(true)
    expect(linear?.test(kinds.slice(1))).toBe(false)
  })
})
