// `edictum console`: starts the console, which is a package of its own.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Command, CommandFailure, type ExitCode, type Invocation } from './command.js'
import { findPackage } from './project-package.js'

const packageName = '@edictum/console'

export const consoleCommand: Command = {
  name: 'console',
  summary: 'Start the console, if it is installed.',
  operands: '[-- OPTIONS…]',
  options: {},
  run: start,
}

async function start({ operands, folder }: Invocation): Promise<ExitCode> {
  const file = findPackage(packageName, folder)?.folder
  const main = file === undefined ? undefined : join(file, 'bin', 'edictum-console.js')
  if (main === undefined || !existsSync(main))
    throw new CommandFailure(`the console is not installed here; install it with: npm install ${packageName}`)
  const child = spawn(process.execPath, [main, ...operands], { cwd: folder, stdio: 'inherit' })
  // The terminal tells both of them to stop; this one waits until the other has.
  const ignore = (): void => undefined
  process.on('SIGINT', ignore)
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  return new Promise((done, fail) => {
    child.once('error', fail)
    child.once('exit', (code) => done(code === 0 ? 0 : 1))
  })
}
