// Parts of a long text that fit into one tool message, however much JSON lengthens them.
import { cutAtCodePoint } from './code-point-cut.js'

/** Offsets count characters the way JavaScript does; none ever stands inside a character. */
export interface ArtifactPage {
  readonly text: string
  readonly offset: number
  /** Where the next page begins; null at the end of the artifact. */
  readonly next_offset: number | null
  readonly total: number
}

export interface ArtifactMatch {
  readonly line: number
  readonly offset: number
  /** The line, or what stands around the match in a long one. */
  readonly text: string
}

export interface ArtifactMatches {
  readonly matches: readonly ArtifactMatch[]
  /** Where the next match is, for another search from there; null when these are all. */
  readonly next_offset: number | null
  readonly total: number
}

export interface PageRequest {
  readonly offset: number
  /** The page ends here at the latest. */
  readonly end: number
  /** The most characters JSON may make of the page's text. */
  readonly jsonChars: number
}

export function takePage(text: string, request: PageRequest): ArtifactPage {
  const total = text.length
  const offset = cutAtCodePoint(text, request.offset)
  const end = fittingEnd(text, { ...request, offset })
  return { text: text.slice(offset, end), offset, next_offset: end < total ? end : null, total }
}

/** The furthest end at which the part still fits. At least one character always does, so that reading gets on. */
function fittingEnd(text: string, { offset, end, jsonChars }: PageRequest): number {
  const fits = (candidate: number): boolean =>
    JSON.stringify(text.slice(offset, candidate)).length <= jsonChars
  const wanted = cutAtCodePoint(text, end)
  const least = Math.min(text.length, offset + String.fromCodePoint(text.codePointAt(offset) ?? 0).length)
  if (wanted <= least) return end <= offset ? offset : least
  if (fits(wanted)) return wanted
  let [fitting, tooFar] = [least, wanted]
  while (tooFar - fitting > 1) {
    const middle = Math.floor((fitting + tooFar) / 2)
    if (fits(cutAtCodePoint(text, middle))) fitting = middle
    else tooFar = middle
  }
  return cutAtCodePoint(text, fitting)
}

/** The end of the first lines. */
export function endOfHead(text: string, lines: number): number {
  let end = 0
  for (let line = 0; line < lines && end < text.length; line++) {
    const newline = text.indexOf('\n', end)
    end = newline === -1 ? text.length : newline + 1
  }
  return end
}

/** The start of the last lines. A newline at the very end begins no line. */
export function startOfTail(text: string, lines: number): number {
  let start = text.length
  for (let line = 0; line < lines && start > 0; line++) {
    start = start === 1 ? 0 : text.lastIndexOf('\n', start - 2) + 1
  }
  return start
}

export interface SearchRequest {
  readonly needle: string
  readonly offset: number
  readonly jsonChars: number
}

/** What is shown on each side of a match, at the most. */
const contextChars = 200

/** Plain text, no pattern: a search takes time in proportion to the artifact, whatever is asked for. */
export function findMatches(text: string, { needle, offset, jsonChars }: SearchRequest): ArtifactMatches {
  const matches: ArtifactMatch[] = []
  const total = text.length
  let spent = 0
  let line = 1
  let counted = 0
  let from = offset
  for (;;) {
    const found = text.indexOf(needle, from)
    if (found === -1) return { matches, next_offset: null, total }
    for (let newline = text.indexOf('\n', counted); newline !== -1 && newline < found;) {
      line += 1
      counted = newline + 1
      newline = text.indexOf('\n', counted)
    }
    const { shown, end } = lineAround(text, found, found + needle.length)
    const match = { line, offset: found, text: shown }
    spent += JSON.stringify(match).length + 1
    if (spent > jsonChars && matches.length > 0) return { matches, next_offset: found, total }
    matches.push(match)
    from = end
  }
}

function lineAround(
  text: string,
  start: number,
  end: number,
): { readonly shown: string; readonly end: number } {
  const earliest = Math.max(0, start - contextChars)
  const latest = cutAtCodePoint(text, end + contextChars)
  const before = text.slice(earliest, start).lastIndexOf('\n')
  const after = text.slice(end, latest).indexOf('\n')
  const shownFrom = before === -1 ? cutAtCodePoint(text, earliest) : earliest + before + 1
  const shownTo = after === -1 ? latest : end + after
  return { shown: text.slice(shownFrom, shownTo), end: shownTo }
}
