// Text for a terminal of 80 columns.
import { makeVisible } from '../internal/visible-text.js'

const width = 80

/** Lines of at most `columns` characters, broken between words; a longer word is broken where it must be. */
function wrap(text: string, columns: number = width): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ').flatMap((one) => pieces(one, columns))) {
    if (line !== '' && line.length + 1 + word.length > columns) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}

function pieces(word: string, columns: number): readonly string[] {
  if (word.length <= columns) return [word]
  return [word.slice(0, columns), ...pieces(word.slice(columns), columns)]
}

/** The text wrapped beside what stands before its first line, as wide as that. */
export function hang(before: string, text: string): readonly string[] {
  const [first = '', ...more] = wrap(text, Math.max(20, width - before.length))
  return [`${before}${first}`, ...more.map((line) => ' '.repeat(before.length) + line)]
}

/** Two columns, the right one wrapped. A left one too wide for that stands on a line of its own. */
export function columns(rows: readonly (readonly [string, string])[]): readonly string[] {
  const left = Math.min(28, Math.max(0, ...rows.map(([cell]) => cell.length)))
  return rows.flatMap(([cell, text]) =>
    cell.length > left
      ? [`  ${cell}`, ...hang(' '.repeat(left + 4), text)]
      : hang(`  ${cell.padEnd(left)}  `, text),
  )
}

/** On one line, at most so long, and unable to move the cursor: for what came out of a file or a call. */
export function brief(text: string, longest = 60): string {
  const visible = makeVisible(text)
  return visible.length > longest ? `${visible.slice(0, longest - 1)}…` : visible
}

/** Any data in short. */
export function briefData(data: unknown, longest = 60): string {
  return brief(JSON.stringify(data) ?? String(data), longest)
}

/** `1 case`, `2 cases`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
