import { foldCase } from './case-folding.js'
import { type CharSet, charSetOf, complementOf, normaliseRanges, unionOf } from './char-set.js'
import { type Cursor, type Flags, refuseSyntax, refuseUnsupported } from './parse-cursor.js'
import { type Escape, readEscape } from './parse-escape.js'

const posixClass = /\[:\^?[a-z]+:\]/y

/** Reads the class at the cursor, which stands on the opening bracket. */
export function readClass(cursor: Cursor, flags: Flags): CharSet {
  const { source } = cursor
  const start = cursor.at
  refusePosixClass(cursor)
  cursor.at++
  const negated = source[cursor.at] === '^'
  if (negated) cursor.at++
  const first = cursor.at
  const ranges: (readonly [number, number])[] = []
  // Escapes such as `\w` mean one fixed set: ignoring case does not widen them.
  let escapes: CharSet = []
  while (source[cursor.at] !== ']' || cursor.at === first) {
    const itemStart = cursor.at
    const low = readMember(cursor, flags, start)
    if (source[cursor.at] !== '-' || source[cursor.at + 1] === ']') {
      if ('set' in low) escapes = unionOf(escapes, low.set)
      else ranges.push([low.codePoint, low.codePoint])
      continue
    }
    cursor.at++
    const high = readMember(cursor, flags, start)
    if ('set' in low || 'set' in high || low.codePoint > high.codePoint)
      return refuseSyntax(cursor, {
        at: itemStart,
        message: `\`${source.slice(itemStart, cursor.at)}\` is not a range of characters`,
        hint: 'write the lower character first; put a literal `-` at the end of the class or escape it',
      })
    ranges.push([low.codePoint, high.codePoint])
  }
  cursor.at++
  const [only] = ranges
  let set = ranges.length === 1 && only && only[0] === only[1] ? charSetOf(only[0]) : normaliseRanges(ranges)
  if (flags.ignoreCase) set = foldCase(set)
  set = unionOf(set, escapes)
  return negated ? complementOf(set) : set
}

function readMember(
  cursor: Cursor,
  flags: Flags,
  start: number,
): Exclude<Escape, { readonly assertion: unknown }> {
  const codePoint = cursor.source.codePointAt(cursor.at)
  if (codePoint === undefined)
    return refuseSyntax(cursor, {
      at: start,
      message: 'the character class `[` is not closed',
      hint: 'close it with `]`, or write `\\[` for a literal bracket',
    })
  refusePosixClass(cursor)
  if (codePoint === 0x5c) {
    const escape = readEscape(cursor, flags, 'class')
    if (!('assertion' in escape)) return escape
  }
  cursor.at += codePoint > 0xffff ? 2 : 1
  return { codePoint }
}

function refusePosixClass(cursor: Cursor): void {
  posixClass.lastIndex = cursor.at
  const [text] = posixClass.exec(cursor.source) ?? []
  if (text !== undefined)
    refuseUnsupported(cursor, {
      message: `the POSIX class \`${text}\` is not supported`,
      hint: 'name the characters: `[A-Za-z]` for `[:alpha:]`, `\\d` for `[:digit:]`, `\\s` for `[:space:]`',
    })
}
