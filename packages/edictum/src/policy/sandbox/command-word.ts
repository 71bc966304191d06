// What the path and host rules make of the pieces of a word that a shell replaces when it runs the line.
import { isStatic, splitExpansions } from './commands/shell-word.js'

/** A word with its patterns put back as written; what else the shell replaces is looked up. */
export interface ReadWord {
  readonly text: string
  /** Whether the shell reads it as a pattern for existing names. */
  readonly isPattern: boolean
}

/** @returns undefined when a piece has no known value */
export function readWord(
  word: string,
  lookUp: (expansion: string, rest: string) => string | undefined,
): ReadWord | undefined {
  if (isStatic(word)) return { text: word, isPattern: false }
  const pieces = splitExpansions(word)
  let text = ''
  let isPattern = false
  for (const [index, piece] of pieces.entries()) {
    if (index % 2 === 0) {
      text += piece
      continue
    }
    const isGlobPiece = isGlobSign(piece)
    const value = isGlobPiece ? piece : lookUp(piece, pieces[index + 1] ?? '')
    if (value === undefined) return undefined
    isPattern ||= isGlobPiece
    text += value
  }
  return { text, isPattern }
}

/** The word with its patterns as plain text; other expansions stay marked. */
export function withPlainPatterns(word: string): string {
  if (isStatic(word)) return word
  return splitExpansions(word)
    .map((piece, index) => (index % 2 === 0 || isGlobSign(piece) ? piece : `\0${piece}\0`))
    .join('')
}

function isGlobSign(piece: string): boolean {
  return /^(?:[*?]+|\[.*\])$/s.test(piece)
}
