// Words of a command line after quote removal. What only the shell knows at run time stays as written, between marks.
import type { Word, WordPart } from 'unbash'

/**
 * Encloses, on both sides, a piece of a word that the shell replaces when it runs the line: `$HOME/x` becomes
 * `<mark>$HOME<mark>/x`. NUL cannot be part of a real argument, so a quoted `$HOME` is never taken for an expansion,
 * and a reader that does not know the mark sees a path no file system accepts.
 */
export const EXPANSION_MARK = '\u0000'

export interface ShellWord {
  readonly text: string
  /** The shell may turn it into no word at all or into several. */
  readonly splits: boolean
}

export function isStatic(text: string): boolean {
  return !text.includes(EXPANSION_MARK)
}

/** Alternating pieces of a word: text at even places, expansions as written at odd ones. */
export function splitExpansions(text: string): readonly string[] {
  return text.split(EXPANSION_MARK)
}

export function markExpansion(source: string): string {
  return EXPANSION_MARK + source.replaceAll(EXPANSION_MARK, '') + EXPANSION_MARK
}

export function literalWord(text: string): ShellWord {
  return { text, splits: false }
}

/** Braces must be expanded before: a brace part left over is kept as written. */
export function renderWord(word: Word): ShellWord {
  const parts = word.parts
  if (parts === undefined) return { text: word.value, splits: false }
  let text = ''
  let splits = false
  for (const part of parts) {
    text += renderPart(part)
    splits ||= isSplit(part)
  }
  return { text, splits }
}

function renderPart(part: WordPart): string {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return part.value
    case 'DoubleQuoted':
    case 'LocaleString': {
      let text = ''
      for (const child of part.parts) text += renderPart(child)
      return text
    }
    case 'BraceExpansion':
      return part.text
    default:
      return markExpansion(part.text)
  }
}

function isSplit(part: WordPart): boolean {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
    case 'ProcessSubstitution':
      return false
    case 'DoubleQuoted':
    case 'LocaleString':
      // "$@" and "${a[@]}" are the expansions that quotes do not keep together.
      return part.parts.some((child) => child.type !== 'Literal' && /^\$\{?[^}]*@/.test(child.text))
    default:
      return true
  }
}
