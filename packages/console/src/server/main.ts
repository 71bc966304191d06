#!/usr/bin/env node
// `npm run console`: starts the console and says how to get in.
import { consoleVersion } from './version.js'
import { logToStderr } from './log.js'
import { backUp } from './start/backup.js'
import { OptionError, readOptions, usage } from './start/options.js'
import { type RunningConsole, startConsole } from './start/start-console.js'

const parameters = process.argv.slice(2)

if (parameters.includes('--help')) {
  process.stdout.write(`${usage}\n`)
} else if (parameters.includes('--version')) {
  process.stdout.write(`${consoleVersion}\n`)
} else {
  await (parameters[0] === 'backup' ? attempt(copyToFolder) : attempt(run))
}

async function run(): Promise<void> {
  const running = await startConsole(readOptions(parameters, process.env), { log: logToStderr })
  stopOnSignal(running)
  greet(running)
}

function copyToFolder(): void {
  const [, target, ...options] = parameters
  if (target === undefined || target.startsWith('-')) throw new OptionError('backup needs a folder to make')
  backUp(readOptions(options, process.env), target)
  process.stdout.write(`A console started with --data ${target} has everything up to now.\n`)
}

async function attempt(work: () => Promise<void> | void): Promise<void> {
  try {
    await work()
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    process.stderr.write(`${message}\n${error instanceof OptionError ? `\n${usage}\n` : ''}`)
    process.exitCode = 1
  }
}

function greet({ url, welcome }: RunningConsole): void {
  const lines = [`The console listens on ${url}`]
  if (welcome.loginLink !== undefined)
    lines.push('', 'Log in with this link; it opens once, within 24 hours:', `  ${welcome.loginLink}`)
  if (welcome.apiKey !== undefined)
    lines.push('', 'API key for your first agent; it is not shown again:', `  ${welcome.apiKey}`)
  process.stdout.write(`${lines.join('\n')}\n`)
}

function stopOnSignal({ stop }: RunningConsole): void {
  let isStopping = false
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      // Whoever asks twice does not want to wait.
      if (isStopping) process.exit(1)
      isStopping = true
      stop().then(
        () => process.exit(0),
        (error: unknown) => {
          process.stderr.write(`${String(error)}\n`)
          process.exit(1)
        },
      )
    })
  }
}
