import { describe, expect, it } from 'vitest'
import { compilePattern, type Pattern } from './pattern.js'

function compile(source: string): Pattern {
  const result = compilePattern(source)
  if (!result.ok) throw new Error(`${source}: ${result.problem.message}`)
  return result.pattern
}

describe('the dialect', () => {
  const rows: readonly (readonly [source: string, found: readonly string[], notFound: readonly string[]])[] =
    [
      ['abc', ['abc', 'xabcx'], ['ab', 'ABC', '']],
      ['a.c', ['abc', 'a\rc', 'a\u2028c', 'a😀c'], ['a\nc', 'ac']],
      ['(?s)a.c', ['a\nc', 'abc'], ['ac']],
      ['^ab', ['ab', 'abc'], ['xab', '\nab']],
      ['(?m)^ab', ['ab', '\nab', 'x\nab'], ['xab', '\rab', '\u2028ab']],
      ['ab$', ['ab', 'xab', 'ab\n'], ['ab\n\n', 'abx', 'ab\r', 'ab\nx']],
      ['(?m)ab$', ['ab', 'ab\nx', 'ab\n\n'], ['ab\r\nx', 'abx']],
      ['a$\\n', ['a\n'], ['a', 'a\n\n']],
      ['\\Aab\\Z', ['ab'], ['ab\n', '\nab', 'xab']],
      ['(?m)\\B^', ['\n', '-'], ['a😀']],
      ['(?m)\\Aab\\Z', ['ab'], ['ab\n', 'x\nab']],
      ['\\bcat\\b', ['cat', 'a cat!', '€cat😀'], ['cats', '_cat', 'cat1', 'écat', 'caté', 'cat𐐀', '𐐀cat']],
      ['\\bпароль\\b', ['мой пароль тут', 'пароль'], ['паролью', 'xпароль', 'пароль²']],
      ['^\\w+$', ['müller', '東京', 'नम', '𐐀1_'], ['a b', 'e\u0301', 'नमस्ते']],
      ['(?a)\\bcat\\b', ['cat', 'écaté'], ['cats', '_cat']],
      ['(?a)\\Bt', ['at'], ['ét', 't']],
      ['(?a:\\w)\\w', ['aé'], ['éa', 'é']],
      ['(?a)(?u:\\w)\\d', ['é1'], ['é٣']],
      ['(?a)[\\w-]', ['a', '-'], ['é']],
      ['(?a)[^\\d]', ['٣', 'a'], ['1']],
      ['(?a)rm\\s-rf', ['rm\u00a0-rf'], ['rm-rf']],
      ['(?!\\w)(?<!\\w)', ['', '-', 'a--a'], ['a', '𐐀', 'a-a']],
      ['\\Bcat', ['scat'], ['cat', ' cat']],
      ['x|\\B', ['', '-', '--', 'ab'], ['a', 'a-b', 'a😀b']],
      ['\\d', ['0', 'a9', '٣', '𝟘'], ['a', '²', 'Ⅷ', '']],
      ['\\D', ['a', '²'], ['0', '12', '٣']],
      ['\\w', ['a', 'Z', '0', '_', 'é', 'ж', '²', 'Ⅷ', '𐐀'], ['-', ' ', '\u0301', '€', '😀', '‿']],
      ['\\W', ['€', '-'], ['a', '_9', 'é', '𐐀']],
      ['rm\\s+-rf', ['rm -rf', 'rm\u00a0-rf', 'rm\ufeff\u3000-rf', 'rm\t\n-rf'], ['rm-rf', 'rm\u200b-rf']],
      ['^\\S$', ['a', '😀'], [' ', '\u2029']],
      ['[\\d_]x', ['1x', '_x'], ['ax']],
      ['[^\\W\\d]', ['a', '_', 'ж', '²'], ['1', '-', '٣']],
      ['[]a]', [']', 'a'], ['[', 'b']],
      ['[^]a]', ['b', '['], [']', 'a', 'a]']],
      ['[a-c]', ['b'], ['d', '-']],
      ['[a\\-c]', ['-', 'a'], ['b']],
      ['[a-]', ['-', 'a'], ['b']],
      ['[-a]', ['-', 'a'], ['b']],
      ['[\\]]', [']'], ['\\']],
      ['[\\b]', ['\b'], ['b']],
      ['[.*$^]', ['.', '*', '$', '^'], ['a']],
      ['[😀-😂]', ['😁'], ['\ud83d', '😎']],
      ['^a*$', ['', 'aaa'], ['b']],
      ['^a+?$', ['a', 'aa'], ['']],
      ['^a{2}$', ['aa'], ['a', 'aaa']],
      ['^a{2,}$', ['aa', 'aaaa'], ['a']],
      ['^a{,2}$', ['', 'a', 'aa'], ['aaa']],
      ['^a{1,2}?$', ['a', 'aa'], ['', 'aaa']],
      ['^a{,}$', ['', 'aaa'], ['b']],
      ['a{', ['a{'], ['a']],
      ['a{x}', ['a{x}'], ['ax']],
      ['a{1', ['a{1'], ['a']],
      ['x{}', ['x{}'], ['x']],
      ['^(?:ab)+$', ['ab', 'abab'], ['aba']],
      ['^(a|bc)*$', ['', 'abca'], ['ab']],
      ['^(?P<word>\\w+) (?P<number>\\d+)$', ['a 1'], ['a b']],
      ['a(?#a comment)b', ['ab'], ['a']],
      ['a(?#c)+b', ['aab'], ['b']],
      ['(?i)straße', ['STRAßE', 'Straẞe', '\u017ftraße'], ['STRASSE']],
      ['(?i)k', ['k', 'K', '\u212a'], ['\u0138']],
      ['(?i)[a-c]x', ['Bx', 'bX'], ['dx']],
      ['(?i)[^a]', ['b'], ['a', 'A', 'aA']],
      ['(?i)É', ['é', 'É'], ['e']],
      ['(?ai)\\w', ['k'], ['\u212a', '\u017f']],
      ['(?im)^AB$', ['x\nab\ny'], ['xab']],
      ['(?i)(?s)A.B', ['a\nb'], ['ab']],
      ['a(?i:b)c', ['abc', 'aBc'], ['Abc', 'aBC']],
      ['(?i)a(?-i:b)c', ['Abc', 'abC'], ['aBc']],
      ['a(?s:.)c.', ['a\ncx'], ['a\nc\n']],
      ['(?m:^b)$', ['a\nb'], ['ab', 'a\nb\nc']],
      ['(?a)\\w', ['a'], ['é']],
      ['(?u)\\d', ['1', '٣'], ['a']],
      ['(?x) a b # the rest is a remark\n c', ['abc'], ['a b c']],
      ['(?x) a \\  b [ #] c', ['a b c', 'a b#c'], ['abc']],
      ['(?x) a {2}', ['aa'], ['a{2}']],
      ['(?x: a b ) c', ['ab c'], ['a b c', 'abc']],
      ['\\t\\n\\r\\f\\v\\a\\0', ['\t\n\r\f\v\x07\0'], ['tnrfva0']],
      ['\\x41\\u00e9\\U0001F600', ['Aé😀'], ['A']],
      ['\\101\\060', ['A0'], ['1010']],
      ['\\.\\*\\(\\)\\[\\]\\/\\-\\"\\é', ['.*()[]/-"é'], ['x']],
      ['a|', ['', 'b'], []],
      ['()', [''], []],
      ['(?:|b)c', ['c', 'bc'], ['b']],
      ['\\ud83d', ['\ud83d', 'a\ud83d'], ['😀']],
      ['foo(?!bar)', ['foobaz', 'foo'], ['foobar']],
      ['(?<!\\w)foo', ['foo', ' foo'], ['xfoo']],
      ['(?<=ab|cd)x', ['abx', 'cdx'], ['acx', 'x']],
      ['^(?=.*\\d)(?=.*[a-z]).{8,}$', ['abcdefg1'], ['abcdefgh', 'abc1']],
    ]

  it.each(rows)('%s', (source, found, notFound) => {
    const pattern = compile(source)
    expect(found.filter((text) => !pattern.test(text))).toEqual([])
    expect(notFound.filter((text) => pattern.test(text))).toEqual([])
  })
})

describe('a refused pattern', () => {
  const rows: readonly (readonly [source: string, kind: string, offset: number, message: string])[] = [
    ['', 'syntax', 0, 'the pattern is empty'],
    ['a)b', 'syntax', 1, '`)` closes no group'],
    ['a(b', 'syntax', 1, 'the group `(` is not closed'],
    ['x[ab', 'syntax', 1, 'the character class `[` is not closed'],
    ['x[', 'syntax', 1, 'the character class `[` is not closed'],
    ['[]', 'syntax', 0, 'the character class `[` is not closed'],
    ['[z-a]', 'syntax', 1, '`z-a` is not a range of characters'],
    ['[a-\\d]', 'syntax', 1, '`a-\\d` is not a range of characters'],
    ['[\\d-z]', 'syntax', 1, '`\\d-z` is not a range of characters'],
    ['[[:alpha:]]', 'unsupported', 1, 'the POSIX class `[:alpha:]` is not supported'],
    ['[:digit:]+', 'unsupported', 0, 'the POSIX class `[:digit:]` is not supported'],
    ['*a', 'syntax', 0, '`*` has nothing to repeat'],
    ['a|+', 'syntax', 2, '`+` has nothing to repeat'],
    ['^*', 'syntax', 1, '`*` has nothing to repeat'],
    ['{2}', 'syntax', 0, '`{2}` has nothing to repeat'],
    ['a**', 'syntax', 2, '`*` repeats what is already repeated'],
    ['a{2}{3}', 'syntax', 4, '`{3}` repeats what is already repeated'],
    ['a{3,2}', 'syntax', 1, '`{3,2}` asks for at least 3 and at most 2'],
    ['a{2000000}', 'unsupported', 1, '`{2000000}` counts further than 1000000'],
    ['a++', 'unsupported', 1, 'the possessive quantifier `++` is not supported'],
    ['a{1,2}+b', 'unsupported', 1, 'the possessive quantifier `{1,2}+` is not supported'],
    ['(?>a+)b', 'unsupported', 0, 'the atomic group `(?>` is not supported'],
    ['(a)?(?(1)b|c)', 'unsupported', 4, 'the conditional group `(?(` is not supported'],
    ['(a)\\1', 'unsupported', 3, 'the back-reference `\\1` is not supported'],
    ['(?P<x>a)(?P=x)', 'unsupported', 8, 'the back-reference `(?P=x)` is not supported'],
    ['(?P<x>a)(?P<x>b)', 'syntax', 8, 'the group name `x` is used twice'],
    ['(?P<1>a)', 'syntax', 0, '`1` is not a group name'],
    ['(?P>x)', 'syntax', 0, '`(?P>` opens no known kind of group'],
    ['(?<x>a)', 'syntax', 0, '`(?<x` opens no known kind of group'],
    ['(?~a)', 'syntax', 0, '`(?~` opens no known kind of group'],
    ['(?#a', 'syntax', 0, 'the comment `(?#` is not closed'],
    ['a(?i)b', 'syntax', 1, 'the flags `(?i)` are not at the start of the pattern'],
    ['(?i', 'syntax', 0, 'the flags `(?i` are not followed by `:`'],
    ['(?i-i:a)', 'syntax', 0, 'the flags `(?i-i:` contradict each other'],
    ['(?-u:a)', 'syntax', 0, 'the flags `(?-u:` contradict each other'],
    ['(?L)a', 'syntax', 0, 'the flag `L` applies to bytes, not to text'],
    ['(?au)a', 'syntax', 0, 'the flags `a` and `u` exclude each other'],
    ['(?a)(?u)a', 'syntax', 4, 'the flags `a` and `u` exclude each other'],
    ['a\\', 'syntax', 1, 'the pattern ends in the middle of an escape, after `\\`'],
    ['\\q', 'syntax', 0, '`\\q` is no escape'],
    ['a\\z', 'syntax', 1, '`\\z` is no escape of this dialect'],
    ['[\\Z]', 'syntax', 1, '`\\Z` is no escape in a character class'],
    ['[\\9]', 'syntax', 1, '`\\9` is no escape in a character class'],
    ['\\x4', 'syntax', 0, '`\\x` needs 2 hexadecimal digits of a character'],
    ['\\U00110000', 'syntax', 0, '`\\U` needs 8 hexadecimal digits of a character'],
    ['\\400', 'syntax', 0, 'the octal escape `\\400` is greater than `\\377`'],
    ['\\p{L}', 'unsupported', 0, 'the property class `\\p` is not supported'],
    ['\\N{EM DASH}', 'unsupported', 0, 'the named character `\\N` is not supported'],
    ['(?<=a+)b', 'syntax', 0, 'the look-behind `(?<=` matches texts of different lengths'],
    ['x(?=.*secret)y', 'unsupported', 1, 'the look-around `(?=` could take too long here'],
    ['(?!.*b)a', 'unsupported', 0, 'the look-around `(?!` could take too long here'],
    [
      '\\w{1,5000}x',
      'unsupported',
      2,
      'the repetition `{1,5000}` makes the pattern too large to be run quickly on every text',
    ],
  ]

  it.each(rows)('%s', (source, kind, offset, message) => {
    const result = compilePattern(source)
    expect(result).toMatchObject({ ok: false, problem: { kind, offset, message } })
  })

  it('may be too long, too deep or too large', () => {
    expect(compilePattern('a'.repeat(10_001))).toMatchObject({
      problem: {
        kind: 'unsupported',
        message: 'the pattern has 10001 characters, more than the 10000 allowed',
      },
    })
    expect(compilePattern('('.repeat(101) + ')'.repeat(101))).toMatchObject({
      problem: { kind: 'unsupported', offset: 100, message: 'groups are nested more than 100 deep' },
    })
    expect(compilePattern('x.'.repeat(1_500))).toMatchObject({
      problem: {
        kind: 'unsupported',
        message: 'the pattern of 3000 characters is too large to be run quickly on every text',
      },
    })
  })

  it('comes with a hint in one line', () => {
    for (const [source] of rows) {
      const result = compilePattern(source)
      const hint = result.ok ? '' : result.problem.hint
      expect(hint).toMatch(/^[^\n]{10,140}[^.\n]$/u)
    }
  })

  it('is told to become two conditions when it looks around', () => {
    expect(compilePattern('x(?=.*secret)y')).toMatchObject({
      problem: { hint: 'use two conditions under `all:`, each with its own `matches`' },
    })
    expect(compilePattern('(?!.*b)a')).toMatchObject({
      problem: {
        hint: 'use two conditions under `all:`, one with `matches` and one with `not:` around `matches`',
      },
    })
  })
})

describe('searching', () => {
  it('leaves everyday patterns to the native engine and the classic runaways to the linear one', () => {
    const everyday = [
      '\\brm\\s+-rf\\b',
      '(?i)password\\s*[:=]',
      'sk-[A-Za-z0-9]{48}',
      '[\\w.]+@[\\w.]+\\.com',
    ]
    const runaways = ['(a+)+$', '(.*a){20}', '(.*a){20}$', '(x+x+)+y', '^(\\w+\\s?)*$', '.*.*=.*']
    expect(everyday.map((source) => compile(source).engine)).toEqual(everyday.map(() => 'native'))
    expect(runaways.map((source) => compile(source).engine)).toEqual(runaways.map(() => 'linear'))
  })

  it('ends at once on the classic runaway pattern', () => {
    expect(compile('^(a+)+$').test(`${'a'.repeat(40)}!`)).toBe(false)
    expect(compile('^(a+)+$').test('a'.repeat(40))).toBe(true)
  })

  it('finds a number at any offset', () => {
    const pattern = compile('\\b\\d{3}-\\d{2}-\\d{4}\\b')
    expect(pattern.test(`${'x '.repeat(5_025)}123-45-6789`)).toBe(true)
    expect(pattern.test(`${'x '.repeat(4_500_000)}123-45-6789`)).toBe(true)
    expect(pattern.test('x '.repeat(4_500_000))).toBe(false)
  })

  it('keeps no state between calls', () => {
    for (const source of ['ab', '(ab)+c']) {
      const pattern = compile(source)
      expect([1, 2, 3].map(() => pattern.test('abc'))).toEqual([true, true, true])
    }
  })

  it('goes on where the native engine runs out of stack', () => {
    const pattern = compile('x[^x]*y')
    expect(pattern.engine).toBe('native')
    expect(pattern.test(`\u2028x${'b'.repeat(12_000_000)}`)).toBe(false)
    expect(pattern.test(`\u2028x${'b'.repeat(12_000_000)}y`)).toBe(true)
  })

  it('stays right when a pattern has read enough to be prepared for more', () => {
    const pattern = compile('curl.*\\|\\s*(ba)?sh$')
    const text = `curl x | bash\n${'curl x | y\n'.repeat(4_000)}`
    expect([1, 2, 3, 4].map(() => pattern.test(text))).toEqual([false, false, false, false])
    expect(pattern.test(`${text}curl z |\tsh\n`)).toBe(true)
    expect(pattern.test(`${text}curl z |\tsh\n\n`)).toBe(false)
  })
})

describe('words of all scripts', () => {
  it('leave everyday patterns to the native engine', () => {
    for (const source of [
      '(?i)\\bdrop\\s+table\\b',
      '\\b\\d{3}-\\d{2}-\\d{4}\\b',
      'x|\\b\\w+@',
      '[\\w.]+@[\\w.]+',
    ])
      expect(compile(source).engine).toBe('native')
  })

  it('are still told from others when a pattern has read enough to be prepared for more', () => {
    const pattern = compile('curl.*\\bsh\\b')
    expect(pattern.engine).toBe('linear')
    const text = 'curl push\n'.repeat(4_000)
    expect([1, 2, 3, 4].map(() => pattern.test(text))).toEqual([false, false, false, false])
    expect(pattern.test(`${text}curl sh`)).toBe(true)
    expect(pattern.test(`${text}curl ésh`)).toBe(false)
    expect(pattern.test(`${text}curl €sh`)).toBe(true)
  })
})

describe('replacing', () => {
  const rows: readonly (readonly [source: string, text: string, replaced: string])[] = [
    ['\\d+', 'a 12 b 345', 'a <> b <>'],
    ['a*', 'baac', 'b<>c'],
    ['a*?', 'aaa', 'aaa'],
    ['\\b', 'a b', 'a b'],
    ['b|a*', 'baab', '<><><>'],
    ['(a|ab)(c|bcd)', 'abcd', '<>'],
    ['(?:a|ab)', 'ab', '<>b'],
    ['<.+?>', '<a><b>', '<><>'],
    ['<[^>]+>', '<a><b> <', '<><> <'],
    ['[\\w.]+@[\\w.]+\\.com', 'x a.b@c.com.net@d.com!', 'x <><>!'],
    ['[ab]+b|c', 'aabac', '<>a<>'],
    ['\\w+:', 'ab:cd:ef', '<><>ef'],
    ['\\s+$', 'a  \n', 'a<>'],
    ['.', '😀\n😀', '<>\n<>'],
    ['(?i)K+', 'a\u212akK', 'a<>'],
    ['(x+x+)+y', 'xxxy xxx', '<> xxx'],
    ['^a|a$', 'aaa', '<>a<>'],
    ['(?m)^a+', 'aa\na ba', '<>\n<> ba'],
    ['\\w+(?=@)', 'me@home', '<>@home'],
  ]

  it.each(rows)('%s in %s', (source, text, replaced) => {
    expect(compile(source).replaceAll(text, '<>')).toBe(replaced)
  })

  it('takes the replacement literally', () => {
    for (const source of ['b', '(?:b+)+', 'b+c?'])
      expect(compile(source).replaceAll('abd', "$&$1$$$`$'")).toBe("a$&$1$$$`$'d")
  })

  it('reaches the end of a long text', () => {
    const text = `${'x '.repeat(500_000)}123-45-6789`
    expect(compile('\\b\\d{3}-\\d{2}-\\d{4}\\b').replaceAll(text, '#')).toBe(`${'x '.repeat(500_000)}#`)
    expect(compile('\\b(?:\\d+-)+\\d{4}\\b').replaceAll(text, '#')).toBe(`${'x '.repeat(500_000)}#`)
  })
})

describe('compiling', () => {
  it('gives the same result for the same source', () => {
    expect(compilePattern('abc+')).toBe(compilePattern('abc+'))
    expect(compilePattern('(')).toBe(compilePattern('('))
  })

  it('forgets before it holds too much', () => {
    const first = compilePattern('remembered')
    for (let i = 0; i < 5_000; i++) compilePattern(`filler ${i}`)
    expect(compilePattern('remembered')).not.toBe(first)
  })

  it('never throws', () => {
    for (const source of [
      '^a{999999}$',
      '^a{99999999999999999999999}$',
      '(?:){1000000}',
      `(?:${'|'.repeat(9_900)})*a`,
      '(?:(?:a{1000}){1000}){1000}',
      '(?:^){1000000,}',
      '((a?){64}){64}',
    ])
      expect(() => {
        const result = compilePattern(source)
        if (result.ok) result.pattern.test('aaa')
      }).not.toThrow()
  })
})
