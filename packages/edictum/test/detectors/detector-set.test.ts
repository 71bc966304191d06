// The library as a whole: every detector finds its finds anywhere, quickly, and nothing else.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { detectorGroups, detectorMeanings, type DetectorName } from '../../src/contracts/detectors.js'
import { DetectorSet, detectorSet, stepLength } from '../../src/policy/redaction/detectors/detector-set.js'
import { ordinaryTexts } from './ordinary-texts.js'
import { characters, type Sample, samples } from './samples.js'

const names = Object.keys(detectorMeanings) as DetectorName[]
const everySample = names.flatMap((name) => samples[name].map((sample) => ({ name, ...sample })))

const anyText = fc.array(
  fc.constantFrom(
    'word ',
    'Ünï ',
    '日本 ',
    '\n',
    '42 ',
    '{"a": ',
    '} ',
    '// ',
    '-- ',
    'x=1; ',
    '💡 ',
    '[REDACTED] ',
  ),
  { maxLength: 40 },
)
const filler = anyText.map((parts) => parts.join(''))
const anySample = fc.constantFrom(...everySample)
const everything = detectorSet(['secrets', 'pii'])

/** What the detector found at a place, as text. */
function foundBy(name: DetectorName, text: string): readonly string[] {
  return detectorSet([name])
    .find(text)
    .map(({ start, end }) => text.slice(start, end))
}

/** A find may be a little longer among other texts: a word of a command line ends at a blank, not at a quote. */
function expectFound(name: DetectorName, text: string, found: string): void {
  const all = foundBy(name, text)
  expect(all.some((one) => one.includes(found)) ? [found] : all).toEqual([found])
}

describe('every detector', () => {
  it.each(everySample)('$name finds $text', ({ name, text, found }) => {
    expect(foundBy(name, text)).toEqual([found])
  })

  it.each(everySample)('$name finds $text between other texts', ({ name, text, found }) => {
    for (const [before, after] of [
      ['see ', ' there'],
      ['"', '",'],
      ['{"v":"', '"}'],
      ['\n', '\n'],
      ['日本 ', ' é'],
    ] as const) {
      expectFound(name, before + text + after, found)
    }
  })

  it('finds what is planted anywhere in a text', () => {
    fc.assert(
      fc.property(filler, anySample, filler, (before, { name, text, found }, after) => {
        expectFound(name, `${before} ${text} ${after}`, found)
      }),
      { numRuns: 1_500 },
    )
  })

  it('finds what is planted at any offset of ten megabytes', () => {
    const lines = 'The quick brown fox jumps over the lazy dog, 17 times.\n'.repeat(190_651)
    fc.assert(
      fc.property(anySample, fc.nat(lines.length), ({ name, text, found }, offset) => {
        const planted = `${lines.slice(0, offset)} ${text} ${lines.slice(offset)}`
        expectFound(name, planted, found)
      }),
      { numRuns: 12 },
    )
  })

  it.each(everySample)(
    'finds $text of $name across the border between two parts',
    ({ name, text, found }) => {
      for (let before = 0; before <= text.length + 2; before++) {
        const planted = `${'\n'.repeat(stepLength - before)} ${text} ${'\n'.repeat(100)}`
        expect(foundBy(name, planted)).toEqual([found])
      }
    },
  )

  it('finds the same with pauses as without', () => {
    const anyPlanted = fc.tuple(fc.nat(3 * stepLength), anySample)
    fc.assert(
      fc.property(fc.array(anyPlanted, { maxLength: 6 }), (planted) => {
        let text = ' '.repeat(3 * stepLength)
        for (const [at, sample] of planted) text = `${text.slice(0, at)} ${sample.text} ${text.slice(at)}`
        expect(drain(everything.findInSteps(text)).value).toEqual(everything.find(text))
      }),
      { numRuns: 60 },
    )
  })

  it('pauses at least every stepLength characters', () => {
    expect(drain(everything.findInSteps('a'.repeat(10 * stepLength + 1))).pauses).toBe(10)
  })
})

function drain<Value>(steps: Generator<undefined, Value>): {
  readonly value: Value
  readonly pauses: number
} {
  for (let pauses = 0; ; pauses++) {
    const step = steps.next()
    if (step.done === true) return { value: step.value, pauses }
  }
}

describe('masking', () => {
  it.each(everySample)('masks exactly the find of $name in $text', ({ name, text, found }) => {
    const at = text.indexOf(found)
    expect(detectorSet([name]).redact(`<< ${text} >>`)).toBe(
      `<< ${text.slice(0, at)}[REDACTED]${text.slice(at + found.length)} >>`,
    )
  })

  it('does not change anything the second time', () => {
    const glue = fc.constantFrom('', ' ', '\n', '"', ',', '/', '-', '_', 'x', ';', '=', ': ', '[REDACTED]')
    const pieces = fc.array(
      fc.tuple(fc.oneof(anySample, fc.constant<Sample>({ text: 'a', found: '' })), glue),
      {
        minLength: 1,
        maxLength: 8,
      },
    )
    fc.assert(
      fc.property(pieces, (parts) => {
        const text = parts.map(([{ text: piece }, between]) => piece + between).join('')
        const once = everything.redact(text)
        expect(everything.redact(once)).toBe(once)
      }),
      { numRuns: 3_000 },
    )
  })

  it('never changes a text without a find', () => {
    fc.assert(
      fc.property(fc.oneof(filler, fc.string({ maxLength: 200 })), (text) => {
        fc.pre(!everything.test(text))
        expect(everything.redact(text)).toBe(text)
      }),
    )
  })

  it('leaves none of the finds in the text', () => {
    fc.assert(
      fc.property(fc.array(anySample, { minLength: 1, maxLength: 5 }), (planted) => {
        const masked = everything.redact(planted.map(({ text }) => text).join(' \n'))
        for (const { name, text } of planted)
          expect({ name, isLeft: masked.includes(text) }).toEqual({ name, isLeft: false })
      }),
    )
  })
})

describe('ordinary texts', () => {
  const secrets = detectorSet(['secrets'])

  it.each(Object.entries(ordinaryTexts))('finds no secret in %s', (_name, text) => {
    expect(secrets.find(text).map(({ start, end, detector }) => [detector, text.slice(start, end)])).toEqual(
      [],
    )
  })

  it.each([
    [
      'ssn',
      '000-12-3456 666-12-3456 900-12-3456 123-00-4567 123-45-0000 1123-45-6789 123-45-67890 123-45-6789-1',
    ],
    ['credit-card', '4111 1111 1111 1112 1234567890123456 0.4111111111111111 41111111111111110000000'],
    ['iban', 'DE89 3704 0044 0532 0130 01 ZZ89370400440532013000'],
    ['phone', '2024-01-15 10.0.0.1 123-456-7890 1.800.5 212-155-0123 550e8400-e29b-41d4-a716-446655440000'],
    ['email', 'ann@localhost @scope/package user@ git@:x'],
  ] as const)('%s does not take other numbers for its own', (name, text) => {
    expect(foundBy(name, text)).toEqual([])
  })
})

describe('hostile texts', () => {
  const beginnings = names.flatMap((name) => samples[name].map(({ text }) => text.slice(0, 12)))
  const length = 200_000

  it.each([
    ...beginnings,
    ...[
      '://a:',
      '@',
      '+1',
      ' -p',
      'mysql -p',
      'eyJa-',
      '-sk-',
      'export KEY',
      '-----BEGIN A PRIVATE KEY-----a-',
      '4111 ',
    ],
    ...['1-', '1 ', 'DE89', 'password="', 'authorization:..', 'Bearer a.'],
  ])('reads a text made of %j in time that grows with its length', (piece) => {
    // Processor time, compared in one run: eight times the text may not cost much more than eight times as much. A few
    // milliseconds are noise on a busy machine; what grows faster than the text takes seconds.
    const measure = (size: number) => {
      const text = piece.repeat(Math.ceil(size / piece.length))
      let best = Infinity
      for (let round = 0; round < 3; round++) {
        const started = process.cpuUsage()
        everything.redact(text)
        best = Math.min(best, process.cpuUsage(started).user / 1_000)
      }
      return best
    }
    measure(2_000)
    const small = Math.max(measure(length / 8), 4)
    expect(measure(length) / small).toBeLessThan(40)
  })
})

describe('a choice of detectors', () => {
  it('reads groups as all of their kind', () => {
    for (const [group, members] of Object.entries(detectorGroups)) {
      expect(detectorSet([group])).toBe(detectorSet(members))
    }
  })

  it('finds nothing else', () => {
    const text = everySample.map((sample) => sample.text).join('\n')
    for (const name of names) {
      const found = new Set(new DetectorSet([name]).find(text).map(({ detector }) => detector))
      expect([...found]).toEqual([name])
    }
  })

  it('knows a token that begins a text from one that merely occurs in it', () => {
    const token = `gh${'p_'}${characters(36)}`
    const secrets = detectorSet(['secrets'])
    expect(secrets.beginsWithToken(`${token} and more`)).toBe(true)
    expect(secrets.beginsWithToken(` ${token}`)).toBe(false)
    expect(secrets.beginsWithToken('export API_KEY=abc')).toBe(false)
  })
})
