import { describe, expect, it } from 'vitest'
import { proveLinear } from './analyse.js'
import { parsePattern } from './parse.js'
import { factorChoices } from './word-tree.js'

function isProven(source: string): boolean {
  const parsed = parsePattern(source)
  if (!parsed.ok) throw new Error(`${source}: ${parsed.problem.message}`)
  return proveLinear(factorChoices(parsed.tree)).safe
}

describe('a pattern is proven', () => {
  it.each([
    ['without loops', '-----BEGIN (RSA |EC )?PRIVATE KEY-----'],
    ['with a loop that cannot be entered in the middle of its run', '\\brm\\s+-rf\\b'],
    ['with a loop at its end', 'Bearer [A-Za-z0-9._-]+'],
    ['with a loop at its end that follows anything', 'DROP\\s+TABLE.*'],
    ['with a loop at its head', '[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\\.[A-Za-z]{2,}'],
    ['with a loop between equal quotes', '"[^"]*"'],
    ['with a loop after a word boundary', 'x|\\b\\w+@'],
    ['with a loop tied to the start of a line', '(?m)^.*secret'],
    ['with a loop tied to the start of the text', '^.*secret$'],
    ['with two loops of which the first ends in one place only', '^(\\d+),(.*)$'],
    ['with a loop after the start of the text or a separator', '(?:^|[;&|])\\s*rm\\s'],
    ['with bounded repetitions', '^\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}$'],
    ['with a bounded group that holds loops', '\\b(?:\\d[ -]*?){13,16}\\b'],
    ['with look-around that is bounded', '(?<!\\w)foo(?!bar)'],
    ['with look-ahead at the start of the text only', '^(?=.*\\d)(?=.*[a-z]).{8,}$'],
    ['with case ignored', '(?i)(api[_-]?key|secret[_-]?key)\\s*[:=]'],
  ])('%s', (_, source) => {
    expect(isProven(source)).toBe(true)
  })

  it('with a list of many words', () => {
    const words = Array.from({ length: 300 }, (_, i) => `${'abcdefghij'[i % 10]}${(i * 7919).toString(36)}`)
    expect(isProven(`(?i)\\b(${words.join('|')})\\b`)).toBe(true)
  })
})

describe('a pattern is not proven', () => {
  it.each([
    ['(a+)+$'],
    ['(.*a){20}'],
    ['(.*a){20}$'],
    ['^(([a-z])+.)+[A-Z]([a-z])+$'],
    ['(x+x+)+y'],
    ['^(\\w+\\s?)*$'],
    ['.*.*=.*'],
    ['(a|aa)+$'],
    ['(a*)*b'],
    ['(?:a?){40}a{40}'],
    ['curl.*\\|\\s*sh'],
    ['<[^>]+>'],
    ['a\\s+\\s+b'],
    ['x*y*x*z'],
    ['^.*a.*b'],
    ['(?=\\w+)x'],
    ['(?!.*x)y'],
    ['(?:\\w+,)*x'],
    ['\\w{1,200}!'],
    ['(?:\\w{1,9}\\W?){1,9}x'],
    ['x|\\w+@'],
  ])('%s', (source) => {
    expect(isProven(source)).toBe(false)
  })
})
