// Text that somebody else chose, on its way to a terminal: shown, never obeyed.

// Control, format, bidirectional, private, unassigned and invisible characters, line ends, blanks that pass for the
// plain one, and heaps of accents that would reach into the neighbouring lines.
const unprintable = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}|(?<=\p{M}{3})\p{M}/gu

/** The text on one line, with everything a terminal might act on or hide written out as an escape. */
export function makePrintable(text: string): string {
  return text.replace(unprintable, (character) => {
    if (character === '\n') return '\\n'
    if (character === '\r') return '\\r'
    if (character === '\t') return '\\t'
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
  })
}

/** Pieces of at most `columns`, so that the terminal itself never starts a line with text somebody else chose. */
export function wrapText(text: string, columns: number): readonly string[] {
  const lines: string[] = []
  let line = ''
  let used = 0
  for (const character of text) {
    // Outside ASCII a character may be two columns wide; a line that is too short does no harm.
    const width = character < '\u007f' ? 1 : 2
    if (used + width > columns) {
      lines.push(line)
      line = ''
      used = 0
    }
    line += character
    used += width
  }
  lines.push(line)
  return lines
}
