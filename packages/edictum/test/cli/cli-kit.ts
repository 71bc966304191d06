// A folder of the test's own, and the command line in it.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runCli } from '../../src/cli/run-cli.js'

export const demoBundle = readFileSync(
  fileURLToPath(new URL('../../../../examples/demo/contracts.yaml', import.meta.url)),
  'utf8',
)

export interface CliAnswer {
  readonly code: number
  readonly answer: string
  readonly complaints: string
}

export class CliFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'edictum-cli-'))
  /** What is piped in. */
  piped: string | Uint8Array = ''
  /** What a person at the terminal answers, in turn; without answers there is no terminal. */
  typed: string[] | undefined

  write(name: string, content: string | Uint8Array): void {
    mkdirSync(dirname(join(this.path, name)), { recursive: true })
    writeFileSync(join(this.path, name), content)
  }

  read(name: string): string {
    return readFileSync(join(this.path, name), 'utf8')
  }

  async run(...words: readonly string[]): Promise<CliAnswer> {
    const answer: string[] = []
    const complaints: string[] = []
    const code = await runCli(words, {
      terminal: {
        isColoured: false,
        say: (line) => void answer.push(line),
        complain: (line) => void complaints.push(line),
      },
      input: {
        isTerminal: this.typed !== undefined,
        readAll: async () =>
          typeof this.piped === 'string' ? new TextEncoder().encode(this.piped) : this.piped,
        ask: async () => this.typed?.shift() ?? '',
      },
      folder: this.path,
    })
    return { code, answer: answer.join('\n'), complaints: complaints.join('\n') }
  }

  async json(...words: readonly string[]): Promise<{ readonly code: number; readonly answer: never }> {
    const { code, answer } = await this.run(...words, '--json')
    return { code, answer: JSON.parse(answer) as never }
  }

  remove(): void {
    rmSync(this.path, { recursive: true })
  }
}

/** The smallest bundle around some contracts. */
export function bundleOf(contracts: string, mode = 'enforce'): string {
  return `apiVersion: edictum/v1
kind: ContractBundle
metadata: { name: test }
defaults: { mode: ${mode} }
contracts:
${contracts}`
}
