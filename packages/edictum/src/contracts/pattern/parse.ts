// Reads the Python dialect of regular expressions into a syntax tree. Groups capture nothing here: nobody asks for
// what a group matched, and a reference to a group cannot be answered in linear time anyway.
import { foldCodePoint } from './case-folding.js'
import { type CharSet, anyChar, charSetOf, notLineFeed, unionOf } from './char-set.js'
import { readClass } from './parse-class.js'
import { readEscape } from './parse-escape.js'
import { type Cursor, PatternRefusal, type Flags, refuseSyntax, refuseUnsupported } from './parse-cursor.js'
import type { PatternProblem } from './problem.js'
import { type Assertion, type PatternNode, type RepeatNode, emptyNode, widthOf } from './syntax-tree.js'

export type ParseResult =
  { readonly ok: true; readonly tree: PatternNode } | { readonly ok: false; readonly problem: PatternProblem }

const maxLength = 10_000
const maxNesting = 100
const maxCount = 1_000_000

export function parsePattern(source: string): ParseResult {
  try {
    return { ok: true, tree: readPattern(source) }
  } catch (error) {
    if (error instanceof PatternRefusal) return { ok: false, problem: error.problem }
    throw error
  }
}

function readPattern(source: string): PatternNode {
  const cursor: Cursor = { source, at: 0, depth: 0, groupNames: new Set() }
  if (source === '')
    refuseSyntax(cursor, {
      message: 'the pattern is empty',
      hint: 'write what to look for; to ask whether a value is there, use `exists: true`',
    })
  if (source.length > maxLength)
    refuseUnsupported(cursor, {
      message: `the pattern has ${source.length} characters, more than the ${maxLength} allowed`,
      hint: 'split it into several patterns under `matches_any`',
    })
  const flags = readGlobalFlags(cursor)
  const tree = readChoice(cursor, flags)
  if (cursor.at < source.length)
    refuseSyntax(cursor, {
      message: '`)` closes no group',
      hint: 'write `\\)` for a literal parenthesis',
    })
  return tree
}

function readChoice(cursor: Cursor, flags: Flags): PatternNode {
  const branches = [readSequence(cursor, flags)]
  while (cursor.source[cursor.at] === '|') {
    cursor.at++
    branches.push(readSequence(cursor, flags))
  }
  return choiceOf(branches)
}

function choiceOf(branches: readonly PatternNode[]): PatternNode {
  const [only] = branches
  if (branches.length === 1 && only) return only
  let union: CharSet | undefined
  for (const branch of branches) {
    if (branch.kind !== 'set') return { kind: 'choice', branches }
    union = union ? unionOf(union, branch.set) : branch.set
  }
  return { kind: 'set', set: union ?? [] }
}

function readSequence(cursor: Cursor, flags: Flags): PatternNode {
  const { source } = cursor
  const items: PatternNode[] = []
  let last: 'nothing' | 'item' | 'assertion' | 'repeat' = 'nothing'
  for (;;) {
    const code = source.charCodeAt(cursor.at)
    if (isPlainCode(code)) {
      cursor.at++
      items.push(literalNode(code, flags))
      last = 'item'
      continue
    }
    if (flags.verbose && skipLayout(cursor)) continue
    const char = source[cursor.at]
    if (char === undefined || char === '|' || char === ')') break
    if (char === '(' && skipComment(cursor)) continue
    const start = cursor.at
    const quantifier = readQuantifier(cursor)
    if (quantifier) {
      const body = items.pop()
      if (body === undefined || last === 'assertion')
        return refuseSyntax(cursor, {
          at: start,
          message: `\`${quantifier.text}\` has nothing to repeat`,
          hint: `put what is to be repeated before it, or write \`\\${char}\` for the character itself`,
        })
      if (last === 'repeat')
        return refuseSyntax(cursor, {
          at: start,
          message: `\`${quantifier.text}\` repeats what is already repeated`,
          hint: 'put the repeated part in a group: `(?:a+)*`',
        })
      const { min, max, preference } = quantifier
      items.push(repeatOf({ kind: 'repeat', body, min, max, preference }))
      last = 'repeat'
      continue
    }
    const item = readItem(cursor, flags)
    items.push(item)
    last = item.kind === 'assert' && char !== '(' ? 'assertion' : 'item'
  }
  const [only] = items
  if (only === undefined) return emptyNode
  return items.length === 1 ? only : { kind: 'sequence', items }
}

/** Writes `(?:a?){9}` as `a{0,9}`, which finds the same and has fewer ways to find it. */
function repeatOf(node: RepeatNode): RepeatNode {
  const { body, max, preference } = node
  if (body.kind !== 'repeat' || body.body.kind !== 'set' || body.max !== 1 || body.min !== 0) return node
  if (max === Infinity || preference === 'shortest' || body.preference === 'shortest') return node
  return { kind: 'repeat', body: body.body, min: 0, max, preference }
}

/** Letters, digits and the underscore always stand for themselves. */
function isPlainCode(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x30 && code <= 0x39) ||
    (code >= 0x41 && code <= 0x5a) ||
    code === 0x5f
  )
}

function readItem(cursor: Cursor, flags: Flags): PatternNode {
  const { source } = cursor
  const codePoint = source.codePointAt(cursor.at) ?? 0
  switch (source[cursor.at]) {
    case '.':
      cursor.at++
      return { kind: 'set', set: flags.dotAll ? anyChar : notLineFeed }
    case '^':
      cursor.at++
      return assertNode(flags.multiline ? 'line-start' : 'text-start')
    case '$':
      cursor.at++
      return assertNode(flags.multiline ? 'line-end' : 'final-end')
    case '(':
      return readGroup(cursor, flags)
    case '[':
      return { kind: 'set', set: readClass(cursor, flags) }
    case '\\': {
      const escape = readEscape(cursor, flags, 'outside')
      if ('assertion' in escape) return assertNode(escape.assertion)
      return 'set' in escape ? { kind: 'set', set: escape.set } : literalNode(escape.codePoint, flags)
    }
    default:
      cursor.at += codePoint > 0xffff ? 2 : 1
      return literalNode(codePoint, flags)
  }
}

function assertNode(assertion: Assertion): PatternNode {
  return { kind: 'assert', assertion }
}

const exactNodes: PatternNode[] = []
const foldedNodes: PatternNode[] = []

function literalNode(codePoint: number, flags: Flags): PatternNode {
  const known = flags.ignoreCase ? foldedNodes : exactNodes
  const node = known[codePoint] ?? {
    kind: 'set',
    set: flags.ignoreCase ? foldCodePoint(codePoint) : charSetOf(codePoint),
  }
  if (codePoint < 0x80) known[codePoint] = node
  return node
}

interface Quantifier {
  readonly text: string
  readonly min: number
  readonly max: number
  readonly preference: 'longest' | 'shortest'
}

/** Reads a quantifier if one stands here. A brace that is none is an ordinary character. */
function readQuantifier(cursor: Cursor): Quantifier | undefined {
  const { source } = cursor
  const start = cursor.at
  const bounds = readBounds(cursor)
  if (!bounds) return undefined
  const next = source[cursor.at]
  if (next === '+')
    refuseUnsupported(cursor, {
      at: start,
      message: `the possessive quantifier \`${source.slice(start, cursor.at + 1)}\` is not supported`,
      hint: `leave the last \`+\` out: \`${source.slice(start, cursor.at)}\` finds at least as much and cannot run away`,
    })
  if (next === '?') cursor.at++
  return {
    text: source.slice(start, cursor.at),
    min: bounds.min,
    max: bounds.max,
    preference: next === '?' ? 'shortest' : 'longest',
  }
}

function readBounds(cursor: Cursor): { readonly min: number; readonly max: number } | undefined {
  const { source } = cursor
  switch (source[cursor.at]) {
    case '*':
      cursor.at++
      return { min: 0, max: Infinity }
    case '+':
      cursor.at++
      return { min: 1, max: Infinity }
    case '?':
      cursor.at++
      return { min: 0, max: 1 }
    case '{':
      return readCounts(cursor)
    default:
      return undefined
  }
}

const counts = /\{(?:(\d+)|(\d*),(\d*))\}/y

function readCounts(cursor: Cursor): { readonly min: number; readonly max: number } | undefined {
  counts.lastIndex = cursor.at
  const found = counts.exec(cursor.source)
  if (!found) return undefined
  const [text, exact, low = '', high = ''] = found
  const min = Number(exact ?? low)
  const max = exact !== undefined ? min : high === '' ? Infinity : Number(high)
  if (min > max)
    refuseSyntax(cursor, {
      message: `\`${text}\` asks for at least ${min} and at most ${max}`,
      hint: `write the smaller number first: \`{${max},${min}}\``,
    })
  if (min > maxCount || (max > maxCount && max !== Infinity))
    refuseUnsupported(cursor, {
      message: `\`${text}\` counts further than ${maxCount}`,
      hint: 'leave the upper bound out: `{1,}`',
    })
  cursor.at += text.length
  return { min, max }
}

/** Skips white space and comments of the verbose mode. */
function skipLayout(cursor: Cursor): boolean {
  const { source } = cursor
  const start = cursor.at
  for (;;) {
    const char = source[cursor.at]
    if (char === '#') {
      const end = source.indexOf('\n', cursor.at)
      cursor.at = end === -1 ? source.length : end + 1
    } else if (char !== undefined && ' \t\n\r\f\v'.includes(char)) cursor.at++
    else return cursor.at > start
  }
}

/** Skips a comment group. */
function skipComment(cursor: Cursor): boolean {
  const { source } = cursor
  if (!source.startsWith('(?#', cursor.at)) return false
  const end = source.indexOf(')', cursor.at)
  if (end === -1)
    refuseSyntax(cursor, { message: 'the comment `(?#` is not closed', hint: 'end the comment with `)`' })
  cursor.at = end + 1
  return true
}

const globalFlags = /\(\?([aiLmsux]+)\)/y

function readGlobalFlags(cursor: Cursor): Flags {
  let letters = ''
  for (;;) {
    if (letters.includes('x')) skipLayout(cursor)
    if (cursor.source[cursor.at] !== '(') break
    if (skipComment(cursor)) continue
    globalFlags.lastIndex = cursor.at
    const found = globalFlags.exec(cursor.source)
    if (!found) break
    letters += found[1] ?? ''
    checkFlagLetters(cursor, letters)
    cursor.at += found[0].length
  }
  return {
    ignoreCase: letters.includes('i'),
    multiline: letters.includes('m'),
    dotAll: letters.includes('s'),
    verbose: letters.includes('x'),
    ascii: letters.includes('a'),
  }
}

function checkFlagLetters(cursor: Cursor, letters: string): void {
  if (letters.includes('L'))
    refuseSyntax(cursor, {
      message: 'the flag `L` applies to bytes, not to text',
      hint: 'leave `L` out',
    })
  if (letters.includes('a') && letters.includes('u'))
    refuseSyntax(cursor, {
      message: 'the flags `a` and `u` exclude each other',
      hint: 'leave one out: `a` limits words and digits to ASCII, `u` is what they mean anyway',
    })
}

function readGroup(cursor: Cursor, flags: Flags): PatternNode {
  const { source } = cursor
  const start = cursor.at
  if (source[start + 1] !== '?') {
    cursor.at++
    return readGroupBody(cursor, flags, start)
  }
  const extension = source.slice(start + 2, start + 4)
  switch (extension[0]) {
    case ':':
      cursor.at += 3
      return readGroupBody(cursor, flags, start)
    case '=':
    case '!':
      cursor.at += 3
      return {
        kind: 'look',
        direction: 'ahead',
        expectation: extension[0] === '=' ? 'match' : 'no-match',
        body: readGroupBody(cursor, flags, start),
        offset: start,
      }
    case '<':
      if (extension === '<=' || extension === '<!') return readLookBehind(cursor, flags)
      return refuseSyntax(cursor, {
        message: `\`(?${extension}\` opens no known kind of group`,
        hint: 'a named group is written `(?P<name>…)`',
      })
    case 'P':
      return readNamedGroup(cursor, flags)
    case '>':
      return refuseUnsupported(cursor, {
        message: 'the atomic group `(?>` is not supported',
        hint: 'write `(?:…)`: it finds at least as much and cannot run away',
      })
    case '(':
      return refuseUnsupported(cursor, {
        message: 'the conditional group `(?(` is not supported',
        hint: 'write both cases as alternatives: `(?:a…b|c)`',
      })
    default:
      return readFlaggedGroup(cursor, flags)
  }
}

function readGroupBody(cursor: Cursor, flags: Flags, start: number): PatternNode {
  if (++cursor.depth > maxNesting)
    refuseUnsupported(cursor, {
      at: start,
      message: `groups are nested more than ${maxNesting} deep`,
      hint: 'split the pattern into several patterns under `matches_any`',
    })
  const body = readChoice(cursor, flags)
  if (cursor.source[cursor.at] !== ')')
    refuseSyntax(cursor, {
      at: start,
      message: 'the group `(` is not closed',
      hint: 'close it with `)`, or write `\\(` for a literal parenthesis',
    })
  cursor.at++
  cursor.depth--
  return body
}

function readLookBehind(cursor: Cursor, flags: Flags): PatternNode {
  const start = cursor.at
  const expectation = cursor.source[start + 3] === '=' ? 'match' : 'no-match'
  cursor.at += 4
  const body = readGroupBody(cursor, flags, start)
  const width = widthOf(body)
  if (width.min !== width.max)
    refuseSyntax(cursor, {
      at: start,
      message: `the look-behind \`${cursor.source.slice(start, start + 4)}\` matches texts of different lengths`,
      hint: 'make all its alternatives equally long, or write one look-behind for each length',
    })
  return { kind: 'look', direction: 'behind', expectation, body, offset: start }
}

const namedGroup = /\(\?P<([^>)]*)>/y
const namedReference = /\(\?P=([^)]*)\)/y
const identifier = /^[\p{L}_][\p{L}\p{N}_]*$/u

function readNamedGroup(cursor: Cursor, flags: Flags): PatternNode {
  const { source } = cursor
  const start = cursor.at
  namedReference.lastIndex = start
  const reference = namedReference.exec(source)
  if (reference)
    return refuseUnsupported(cursor, {
      message: `the back-reference \`${reference[0]}\` is not supported`,
      hint: 'write out what may be repeated, or compare the two values in a custom operator',
    })
  namedGroup.lastIndex = start
  const found = namedGroup.exec(source)
  if (!found)
    return refuseSyntax(cursor, {
      message: `\`${source.slice(start, start + 4)}\` opens no known kind of group`,
      hint: 'a named group is written `(?P<name>…)`',
    })
  const name = found[1] ?? ''
  if (!identifier.test(name))
    refuseSyntax(cursor, {
      message: `\`${name}\` is not a group name`,
      hint: 'use letters, digits and underscores, not starting with a digit, or an unnamed group `(?:…)`',
    })
  if (cursor.groupNames.has(name))
    refuseSyntax(cursor, {
      message: `the group name \`${name}\` is used twice`,
      hint: 'rename one of the groups, or leave the name out: `(?:…)`',
    })
  cursor.groupNames.add(name)
  cursor.at += found[0].length
  return readGroupBody(cursor, flags, start)
}

const flaggedGroup = /\(\?([aiLmsux]*)(-?)([aiLmsux]*)([:)]?)/y

function readFlaggedGroup(cursor: Cursor, flags: Flags): PatternNode {
  const { source } = cursor
  const start = cursor.at
  flaggedGroup.lastIndex = start
  const [text = '', on = '', minus = '', off = '', end = ''] = flaggedGroup.exec(source) ?? []
  if (on + off === '')
    return refuseSyntax(cursor, {
      message: `\`${source.slice(start, start + 3)}\` opens no known kind of group`,
      hint: 'write `(?:…)` for a plain group, or `\\(` for a literal parenthesis',
    })
  checkFlagLetters(cursor, on)
  if (end === ')' && minus === '')
    return refuseSyntax(cursor, {
      message: `the flags \`${text}\` are not at the start of the pattern`,
      hint: `move \`${text}\` to the very start, or limit it to a part: \`(?${on}:…)\``,
    })
  if (end !== ':')
    return refuseSyntax(cursor, {
      message: `the flags \`${text}\` are not followed by \`:\``,
      hint: `write \`(?${on}${minus}${off}:…)\``,
    })
  const both = [...on].find((letter) => off.includes(letter))
  if (both !== undefined || /[auL]/.test(off) || (minus === '-' && off === ''))
    return refuseSyntax(cursor, {
      message: `the flags \`${text}\` contradict each other`,
      hint: 'only `i`, `m`, `s` and `x` can be switched off, and not where they are switched on',
    })
  cursor.at += text.length
  const switched = (letter: string, current: boolean): boolean =>
    on.includes(letter) || (current && !off.includes(letter))
  const inner: Flags = {
    ignoreCase: switched('i', flags.ignoreCase),
    multiline: switched('m', flags.multiline),
    dotAll: switched('s', flags.dotAll),
    verbose: switched('x', flags.verbose),
    ascii: on.includes('a') || (flags.ascii && !on.includes('u')),
  }
  return readGroupBody(cursor, inner, start)
}
