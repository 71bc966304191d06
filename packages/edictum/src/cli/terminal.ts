// Where a command writes. Colours only where a person looks at them.
export interface Terminal {
  readonly isColoured: boolean
  /** A line of the answer, on standard output. */
  say(line: string): void
  /** A line about the answer, on standard error. */
  complain(line: string): void
  /** How far something long has come, for a person who watches; the last word is the empty text. */
  progress?(line: string): void
}

export function processTerminal(): Terminal {
  const { stdout, stderr, env } = process
  return {
    isColoured: stdout.isTTY && stderr.isTTY && (env['NO_COLOR'] ?? '') === '',
    say: (line) => void stdout.write(`${line}\n`),
    complain: (line) => void stderr.write(`${line}\n`),
    ...(stderr.isTTY ? { progress: (line: string) => void stderr.write(`\r\u001B[K${line}`) } : {}),
  }
}

const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 }

export function paint({ isColoured }: Terminal, colour: keyof typeof codes, text: string): string {
  return isColoured ? `\u001B[${codes[colour]}m${text}\u001B[0m` : text
}
