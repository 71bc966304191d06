import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expandBraces } from './brace-expansion.js'

describe('expandBraces', () => {
  it.each<[string, string[]]>([
    ['a', ['a']],
    ['a{b,c}d', ['abd', 'acd']],
    ['{a,{b,c}}', ['a', 'b', 'c']],
    ['{a,b}{c,d}', ['ac', 'ad', 'bc', 'bd']],
    ['{1..3}', ['1', '2', '3']],
    ['{3..1}', ['3', '2', '1']],
    ['{01..03}', ['01', '02', '03']],
    ['{a..e..2}', ['a', 'c', 'e']],
    ['{a}', ['{a}']],
    ['{}', ['{}']],
    ['HEAD@{1}', ['HEAD@{1}']],
    ['{a},{b}', ['{a},{b}']],
    ['${a,b}', ['${a,b}']],
    ["'{a,b}'", ["'{a,b}'"]],
    ['{"a,b",c}', ['"a,b"', 'c']],
    ['{a\\,b,c}', ['a\\,b', 'c']],
    ['{,a}', ['', 'a']],
  ])('expands %j', (text, expected) => {
    expect(expandBraces(text, 100)).toEqual(expected)
  })

  it.each(['{a,b', '{},b}', '{a,b}}', '{a,{b}', '{{a,b}', '{1..x}'])('does not guess at %j', (text) => {
    expect(expandBraces(text, 100)).toBeUndefined()
  })

  it('gives up beyond the limit', () => {
    expect(expandBraces('{a,b}'.repeat(20), 100)).toBeUndefined()
    expect(expandBraces('{1..100000}', 100)).toBeUndefined()
    expect(expandBraces('{a,'.repeat(5_000), 100)).toBeUndefined()
  })

  it('agrees with bash where it decides', () => {
    const piece = fc.constantFrom('{', '{', '}', '}', ',', ',', 'a', 'b', '1..3', 'x')
    const texts = fc
      .sample(
        fc.array(piece, { minLength: 3, maxLength: 10 }).map((pieces) => `p${pieces.join('')}`),
        { numRuns: 3_000, seed: 5 },
      )
      .filter((text) => expandBraces(text, 1_000) !== undefined)
    const script = texts.map((text) => `printf '%s ' ${text}; echo`).join('\n')
    const lines = spawnSync('bash', ['-c', script], { encoding: 'utf8' }).stdout.trimEnd().split('\n')
    expect(texts.map((text) => (expandBraces(text, 1_000) ?? []).join(' '))).toEqual(
      lines.map((line) => line.trimEnd()),
    )
    expect(texts.filter((text) => (expandBraces(text, 1_000) ?? []).length > 1).length).toBeGreaterThan(20)
  })
})
