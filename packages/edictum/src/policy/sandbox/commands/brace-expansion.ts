// Brace expansion as bash does it: on the text of a word, before anything else is expanded.

/**
 * The words a word stands for. Undefined when there are more than `limit`, or when the braces are not well paired: what
 * bash makes of those follows from its code rather than from a rule.
 */
export function expandBraces(text: string, limit: number): readonly string[] | undefined {
  const form = inspectBraces(text)
  if (form === 'literal') return [text]
  if (form === 'irregular') return undefined
  const done: string[] = []
  const open: string[] = [text]
  const budget = { steps: MOST_STEPS }
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const group = findGroup(next, budget)
    if (group === undefined) {
      done.push(next)
    } else {
      const before = next.slice(0, group.start)
      const after = next.slice(group.end)
      for (const piece of group.pieces.toReversed()) open.push(before + piece + after)
    }
    if (done.length + open.length > limit || budget.steps <= 0) return undefined
  }
  return done
}

function inspectBraces(text: string): 'literal' | 'regular' | 'irregular' {
  const open: { readonly start: number; splits: boolean }[] = []
  let groups = 0
  let plain = false
  let suspect = false
  let stray = false
  let outside = false
  for (let at = 0; at < text.length; at = skipQuoted(text, at)) {
    const character = text[at]
    const top = open.at(-1)
    if (character === '{') open.push({ start: at, splits: false })
    else if (top === undefined) {
      // An unpaired brace closes an earlier group that had no comma of its own.
      if (character === '}') plain = stray = true
      else outside ||= character === ',' || character === '.'
    } else if (character === ',') top.splits = suspect = true
    else if (character === '.' && text[at + 1] === '.') suspect = true
    else if (character === '}') {
      open.pop()
      if (top.splits || expandSequence(text.slice(top.start + 1, at)) !== undefined) groups++
      else plain = true
    }
  }
  if (!suspect && groups === 0 && !(stray && outside)) return 'literal'
  return plain || open.length > 0 ? 'irregular' : 'regular'
}

interface BraceGroup {
  readonly start: number
  readonly end: number
  readonly pieces: readonly string[]
}

const MOST_PIECES = 2_000
/** Unclosed braces are looked at again and again; nobody writes so many of them. */
const MOST_STEPS = 100_000

interface Budget {
  steps: number
}

function findGroup(text: string, budget: Budget): BraceGroup | undefined {
  for (let start = 0; start < text.length && budget.steps > 0; start = skipQuoted(text, start)) {
    budget.steps--
    if (text[start] !== '{') continue
    const group = readGroup(text, start, budget)
    if (group !== undefined) return group
  }
  return undefined
}

function readGroup(text: string, start: number, budget: Budget): BraceGroup | undefined {
  const pieces: string[] = []
  let depth = 0
  let from = start + 1
  for (let at = start + 1; at < text.length; at = skipQuoted(text, at)) {
    budget.steps--
    const character = text[at]
    if (character === '{') depth++
    else if (character === '}' && depth > 0) depth--
    else if (character === ',' && depth === 0) {
      pieces.push(text.slice(from, at))
      from = at + 1
    } else if (character === '}') {
      const last = text.slice(from, at)
      if (pieces.length > 0) return { start, end: at + 1, pieces: [...pieces, last] }
      const sequence = expandSequence(last)
      return sequence === undefined ? undefined : { start, end: at + 1, pieces: sequence }
    }
  }
  return undefined
}

function expandSequence(body: string): readonly string[] | undefined {
  const match = /^(-?\d{1,9}|[A-Za-z])\.\.(-?\d{1,9}|[A-Za-z])(?:\.\.(-?\d{1,9}))?$/.exec(body)
  const [, first, last, stepText] = match ?? []
  if (first === undefined || last === undefined) return undefined
  const letters = /[A-Za-z]/.test(first)
  if (letters !== /[A-Za-z]/.test(last)) return undefined
  const low = letters ? first.charCodeAt(0) : Number(first)
  const high = letters ? last.charCodeAt(0) : Number(last)
  const step = Math.max(1, Math.abs(Number(stepText ?? 1)))
  const count = Math.floor(Math.abs(high - low) / step) + 1
  const width = /^-?0\d|^-?\d+\.\.-?0\d/.test(body) ? Math.max(first.length, last.length) : 0
  const pieces: string[] = []
  for (let index = 0; index < Math.min(count, MOST_PIECES); index++) {
    const value = low + (high < low ? -index : index) * step
    pieces.push(letters ? String.fromCharCode(value) : padNumber(value, width))
  }
  return pieces
}

function padNumber(value: number, width: number): string {
  const digits = String(Math.abs(value))
  return value < 0 ? `-${digits.padStart(width - 1, '0')}` : digits.padStart(width, '0')
}

/** The place after the character at `at`, or after the quoted or substituted piece that begins there. */
function skipQuoted(text: string, at: number): number {
  const character = text[at]
  if (character === '\\') return at + 2
  if (character === "'") return skipUntil(text, at, "'")
  if (character === '"' || character === '`') return skipEscaped(text, at + 1, character)
  if (character !== '$') return at + 1
  const next = text[at + 1]
  if (next === "'") return skipEscaped(text, at + 2, "'")
  if (next === '{') return skipNested(text, at + 2, '{}')
  if (next === '(') return skipNested(text, at + 2, '()')
  return at + 1
}

function skipUntil(text: string, at: number, end: string): number {
  const found = text.indexOf(end, at + 1)
  return found === -1 ? text.length : found + 1
}

function skipEscaped(text: string, from: number, end: string): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === end) return at + 1
  }
  return text.length
}

function skipNested(text: string, from: number, pair: '{}' | '()'): number {
  let depth = 1
  for (let at = from; at < text.length;) {
    if (text[at] === pair[0]) depth++
    else if (text[at] === pair[1]) depth--
    at = skipQuoted(text, at)
    if (depth === 0) return at
  }
  return text.length
}
