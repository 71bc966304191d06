import { describe, expect, it } from 'vitest'
import { compilePattern } from './pattern.js'

function literalsOf(source: string): readonly string[] | undefined {
  const result = compilePattern(source)
  if (!result.ok) throw new Error(`${source}: ${result.problem.message}`)
  return result.pattern.requiredLiterals
}

describe('the literals a match must contain', () => {
  const rows: readonly (readonly [source: string, literals: readonly string[] | undefined])[] = [
    ['abc', ['abc']],
    ['rm\\s+-rf', ['-rf']],
    ['\\bpassword\\b', ['password']],
    ['x.yz', ['yz']],
    ['(foo|barbaz)', ['foo', 'barbaz']],
    ['(foo|b.)', ['foo', 'b']],
    ['(foo|.)', undefined],
    ['a(foo|bar)', ['foo', 'bar']],
    ['abcd(e|fg)?', ['abcd']],
    ['(?:ab){2}c', ['ababc']],
    ['(?:ab){2,}c', ['abab']],
    ['(?:ab)+', ['ab']],
    ['(?:ab)*', undefined],
    ['a?b*', undefined],
    ['(a|b|c|d|e|f|g|h)x', ['x']],
    ['(aa|bb|cc|dd|ee|ff|gg|hh|ii)', undefined],
    ['(?i)password', undefined],
    ['(?i)12-34', ['12-34']],
    ['(?i)x12', ['12']],
    ['[a]b', ['ab']],
    ['^$', undefined],
    ['foo(?!bar)', ['foo']],
    ['(?=foo)f', ['f']],
    ['(?:|abc)', undefined],
    ['a{0}bc', ['bc']],
    ['x{3}', ['xxx']],
    ['😀+!', ['😀']],
  ]

  it.each(rows)('%s', (source, literals) => {
    expect(literalsOf(source)).toEqual(literals)
  })
})
