#!/usr/bin/env node
// `npx edictum`.
import { processInput } from './input.js'
import { runCli } from './run-cli.js'
import { processTerminal } from './terminal.js'

process.exitCode = await runCli(process.argv.slice(2), {
  terminal: processTerminal(),
  input: processInput(),
  folder: process.cwd(),
})
