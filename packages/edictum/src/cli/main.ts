#!/usr/bin/env node
// `npx edictum`.
import { processInput } from './input.js'
import { runCli } from './run-cli.js'
import { processTerminal } from './terminal.js'

// Whoever reads the answer may stop reading, as `head` does; then there is nobody left to write to.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})

process.exitCode = await runCli(process.argv.slice(2), {
  terminal: processTerminal(),
  input: processInput(),
  folder: process.cwd(),
})
