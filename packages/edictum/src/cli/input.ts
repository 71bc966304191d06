// Where a command reads what is typed or piped in.
import { createInterface } from 'node:readline/promises'

export interface Input {
  /** Whether a person could answer. */
  readonly isTerminal: boolean
  /** Everything up to the end of standard input. */
  readAll(): Promise<Uint8Array>
  /** One line, for a question. */
  ask(question: string): Promise<string>
}

export function processInput(): Input {
  const { stdin, stderr } = process
  return {
    isTerminal: stdin.isTTY && stderr.isTTY,
    readAll: async () => {
      const chunks: Buffer[] = []
      for await (const chunk of stdin) chunks.push(Buffer.from(chunk as Uint8Array))
      return Buffer.concat(chunks)
    },
    ask: async (question) => {
      const lines = createInterface({ input: stdin, output: stderr })
      try {
        return await lines.question(question)
      } finally {
        lines.close()
      }
    },
  }
}

/** For those who have nothing to type. */
export const noInput: Input = {
  isTerminal: false,
  readAll: async () => new Uint8Array(),
  ask: async () => '',
}
