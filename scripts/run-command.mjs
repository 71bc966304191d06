// @ts-check
// Starts a program without a shell and without stdin, and says how it ended.

import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { root } from './workspace.mjs'

/**
 * @typedef {object} CommandResult
 * @property {boolean} ok
 * @property {string} stdout
 * @property {string} output stdout and stderr as they came
 */

/**
 * @typedef {object} CommandOptions
 * @property {string} [cwd] the workspace root if absent
 * @property {'capture' | 'show'} [display] `show` also passes the output through while it comes
 * @property {number} [timeoutMs]
 * @property {Record<string, string>} [environment] added to the present one
 */

/**
 * @param {string} program
 * @param {readonly string[]} parameters
 * @param {CommandOptions} [options]
 * @returns {Promise<CommandResult>}
 */
export function runCommand(program, parameters, options = {}) {
  const { cwd = root, display = 'capture', timeoutMs = 600_000, environment = {} } = options
  return new Promise((resolve) => {
    const child = spawn(program, parameters, {
      cwd,
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    })
    let stdout = ''
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text
      output += text
      if (display === 'show') process.stdout.write(text)
    })
    child.stderr.setEncoding('utf8').on('data', (text) => {
      output += text
      if (display === 'show') process.stderr.write(text)
    })
    child.on('error', (error) => {
      resolve({ ok: false, stdout, output: `${output}${program}: ${error.message}\n` })
    })
    child.on('close', (code, signal) => {
      if (signal !== null) output += `${program}: ended by ${signal} (limit ${timeoutMs} ms)\n`
      resolve({ ok: code === 0, stdout, output })
    })
  })
}

/**
 * Runs a program that `npm ci` put into node_modules/.bin.
 * @param {string} name
 * @param {readonly string[]} parameters
 * @param {CommandOptions} [options]
 * @returns {Promise<CommandResult>}
 */
export function runTool(name, parameters, options) {
  return runCommand(join(root, 'node_modules', '.bin', name), parameters, options)
}

/**
 * Runs a script of this folder with the Node that runs this one.
 * @param {string} name
 * @param {readonly string[]} parameters
 * @param {CommandOptions} [options]
 * @returns {Promise<CommandResult>}
 */
export function runScript(name, parameters = [], options = {}) {
  return runCommand(process.execPath, [join(root, 'scripts', name), ...parameters], options)
}
