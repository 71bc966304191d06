// @ts-check
// A console in a process of its own, as users run it, and a client that costs as little as it can.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../packages/console/dist/server/main.js', import.meta.url))
const emptyServer = fileURLToPath(new URL('empty-server.mjs', import.meta.url))

/**
 * @typedef {object} ConsoleProcess
 * @property {string} url
 * @property {string} key
 * @property {string} loginLink of the first administrator, opens once
 * @property {number} processId
 * @property {number} readyMs from the start of the process to the answer to the first request
 * @property {(path: string, body: Uint8Array | string, more?: Record<string, string>) => Promise<any>} post with more headers
 * @property {() => Promise<void>} stop
 */

/**
 * @param {{ databaseUrl?: string, connections: number }} options
 * @returns {Promise<ConsoleProcess>}
 */
export async function runConsole({ databaseUrl, connections }) {
  const folder = mkdtempSync(join(tmpdir(), 'edictum-console-'))
  const startedAt = performance.now()
  const parameters = ['--port', '0', '--data', folder]
  if (databaseUrl !== undefined) parameters.push('--database-url', databaseUrl)
  const child = spawn(process.execPath, [program, ...parameters], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  /** @type {{ url: string, key: string, loginLink: string }} */
  const { url, key, loginLink } = await new Promise((resolve, reject) => {
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text
      const [found] = /http:\/\/\S+/.exec(output) ?? []
      const [link] = /http:\/\/\S+\/login\/\S+(?=\s)/.exec(output) ?? []
      const [printedKey] = /edk_\S+(?=\s)/.exec(output) ?? []
      if (found !== undefined && printedKey !== undefined && link !== undefined)
        resolve({ url: found, key: printedKey, loginLink: link })
    })
    child.once('exit', (code) => reject(new Error(`the console ended with ${code}`)))
  })
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  const { post, hangUp } = connect(url, { headers, connections })
  await post('/api/edictum/v1/sessions/get', '{"key":"ready"}')
  const readyMs = performance.now() - startedAt
  return {
    url,
    key,
    loginLink,
    processId: child.pid ?? 0,
    readyMs,
    post,
    stop: async () => {
      hangUp()
      child.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/**
 * A server that does nothing, in a process of its own.
 * @returns {Promise<Pick<ConsoleProcess, 'post' | 'stop'>>}
 */
export async function runEmptyServer() {
  const child = spawn(process.execPath, [emptyServer], { stdio: ['ignore', 'pipe', 'inherit'] })
  const url = await new Promise((resolve) =>
    child.stdout.setEncoding('utf8').once('data', (text) => resolve(text.trim())),
  )
  const { post, hangUp } = connect(url, { headers: { 'Content-Type': 'application/json' }, connections: 1 })
  return {
    post,
    stop: async () => {
      hangUp()
      child.kill('SIGTERM')
    },
  }
}

/**
 * @param {string} url
 * @param {{ headers: Record<string, string>, connections: number }} options
 * @returns {Pick<ConsoleProcess, 'post'> & { hangUp: () => void }}
 */
function connect(url, { headers, connections }) {
  const { hostname, port } = new URL(url)
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const post = (
    /** @type {string} */ path,
    /** @type {Uint8Array | string} */ body,
    /** @type {Record<string, string> | undefined} */ more,
  ) =>
    new Promise((resolve, reject) => {
      const options = {
        hostname,
        port,
        path,
        agent,
        method: 'POST',
        headers: { ...headers, ...more, 'Content-Length': Buffer.byteLength(body) },
      }
      const outgoing = request(options, (incoming) => {
        let text = ''
        incoming.setEncoding('utf8').on('data', (part) => (text += part))
        incoming.on('end', () =>
          incoming.statusCode === 200
            ? resolve(JSON.parse(text))
            : reject(new Error(`${incoming.statusCode} ${text}`)),
        )
      })
      outgoing.on('error', reject)
      outgoing.end(body)
    })
  return { post, hangUp: () => agent.destroy() }
}
