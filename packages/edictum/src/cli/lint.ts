// `edictum lint`: contracts that load and yet cannot be meant.
import type { PathStep } from '../contracts/diagnostic.js'
import { loadBundleString, parseDocument } from '../contracts/load.js'
import { type LintFinding, lintBundle } from '../policy/lint.js'
import { type Command, type ExitCode, type Invocation, UsageError } from './command.js'
import { readGiven } from './files.js'
import { counted, hang } from './layout.js'
import { readLog } from './log-file.js'
import { paint } from './terminal.js'

export const lint: Command = {
  name: 'lint',
  summary: 'Find contracts that cannot be meant as they are.',
  operands: 'FILES…',
  options: {
    log: { value: 'FILE', summary: 'An audit log, to compare the names of tools with.' },
    json: { summary: 'Answer in JSON.' },
  },
  run: lintFiles,
}

interface Found extends LintFinding {
  readonly file: string
  readonly line: number
}

async function lintFiles(invocation: Invocation): Promise<ExitCode> {
  const { operands, options, terminal } = invocation
  if (operands.length === 0) throw new UsageError('lint needs at least one file')
  const toolNames = new Set<string>()
  const log = options.text('log')
  if (log !== undefined) await readLog(log, invocation, ({ toolName }) => void toolNames.add(toolName))
  const found: Found[] = []
  for (const file of operands) found.push(...(await lintFile(file, invocation, toolNames)))
  if (options.isSet('json')) {
    const findings = found.map(({ code, contractId, message, file, line }) => ({
      file,
      line,
      contract_id: contractId,
      code,
      message,
    }))
    terminal.say(JSON.stringify({ ok: found.length === 0, findings }, null, 2))
  } else {
    for (const { file, line, contractId, message, code } of found) {
      terminal.say(
        `${file}:${line}: ${paint(terminal, 'bold', contractId)} [${paint(terminal, 'yellow', code)}]`,
      )
      for (const text of hang('  ', message)) terminal.say(text)
    }
    if (found.length === 0) terminal.say('nothing to complain about')
    else terminal.say(`\n${counted(found.length, 'finding')}`)
  }
  return found.length === 0 ? 0 : 1
}

async function lintFile(
  file: string,
  invocation: Invocation,
  toolNames: ReadonlySet<string>,
): Promise<readonly Found[]> {
  const { name, bytes } = await readGiven(file, invocation)
  const { bundle } = loadBundleString(bytes, { file: name })
  const { source, value } = parseDocument(bytes, { file: name })
  const lineOf = ([, ...path]: readonly PathStep[]) => {
    const list = typeof value === 'object' && value !== null && 'rules' in value ? 'rules' : 'contracts'
    const { start } = source.locate([list, ...path], 'value')
    return source.text.slice(0, start).split('\n').length
  }
  return lintBundle(bundle, { toolNames }).map((finding) => ({
    ...finding,
    file: name,
    line: lineOf(finding.path),
  }))
}
