// Tools as files, and a look at which processes there are.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished } from 'vitest'

export function createFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'edictum-isolation-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export function writeModule(source: string) {
  const path = join(createFolder(), 'tool.mjs')
  writeFileSync(path, source)
  return pathToFileURL(path)
}

export const endlessLoop = 'export default () => { for (;;); }'

/** A module's text: writes the process's number to the file, so that it is there whole or not at all. */
export const noteProcess = (note: string) => `
import { renameSync, writeFileSync } from 'node:fs'
const noteProcess = (pid) => {
  writeFileSync(${JSON.stringify(`${note}.new`)}, String(pid))
  renameSync(${JSON.stringify(`${note}.new`)}, ${JSON.stringify(note)})
}
`

export const seesProcesses = existsSync('/proc/self/stat')

const statusOf = (pid: number | string) => {
  try {
    const [state, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')
    return { state, parent: Number(parent) }
  } catch {
    return undefined
  }
}

/** A process that has ended and waits to be fetched is not running. */
export const isRunning = (pid: number) => (statusOf(pid)?.state ?? 'Z') !== 'Z'

/** Those that have ended and were not fetched are among them. */
export const childrenOf = (parent: number) =>
  readdirSync('/proc').filter((name) => /^\d+$/.test(name) && statusOf(name)?.parent === parent)

/** Real time, because it is the system that has to do something. */
export async function until(condition: () => boolean) {
  const end = performance.now() + 10_000
  while (!condition()) {
    if (performance.now() > end) throw new Error(`still not so: ${String(condition)}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** Runs a program that uses the built package, in a process whose every output and whose end can be seen. */
export async function runCaller(source: string) {
  const program = join(createFolder(), 'caller.mjs')
  const door = new URL('../../dist/isolation.js', import.meta.url)
  expect(existsSync(door), 'the package is built').toBe(true)
  writeFileSync(program, `import * as isolation from '${door.href}'\n${source}`)
  const caller = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'pipe'] })
  let printed = ''
  caller.stdout.on('data', (chunk) => (printed += chunk))
  caller.stderr.on('data', (chunk) => (printed += chunk))
  const [code, signal] = await once(caller, 'close')
  return { code, signal, printed }
}
