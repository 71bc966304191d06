// @ts-check
// A fleet on streams: how long until the last of it hears of a deploy, and what an idle agent costs the server.
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { runConsole } from './running-console.mjs'

const bundleName = 'fleet'

/** @param {number} version */
function bundleText(version) {
  return `apiVersion: edictum/v1
kind: ContractBundle
metadata: { name: ${bundleName} }
defaults: { mode: enforce }
contracts:
  - id: version-${version}
    type: pre
    tool: deploy
    when: { args.target: { equals: production } }
    then: { effect: deny, message: "no" }
`
}

/**
 * @param {string} url
 * @param {{ method: string, headers: Record<string, string>, body?: object }} options
 * @returns {Promise<{ headers: import('node:http').IncomingHttpHeaders, body: any }>}
 */
function ask(url, { method, headers, body }) {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      { method, headers: { ...headers, 'Content-Type': 'application/json' } },
      (incoming) => {
        let text = ''
        incoming.setEncoding('utf8').on('data', (part) => (text += part))
        incoming.on('end', () =>
          (incoming.statusCode ?? 500) < 400
            ? resolve({ headers: incoming.headers, body: text.startsWith('{') ? JSON.parse(text) : text })
            : reject(new Error(`${incoming.statusCode} ${text}`)),
        )
      },
    )
    outgoing.on('error', reject)
    outgoing.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

/**
 * @param {string} url
 * @param {{ key: string, agent: Agent, name: string, onEvent: () => void }} options
 * @returns {Promise<() => void>} closes it
 */
function openStream(url, { key, agent, name, onEvent }) {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      agent,
      headers: { Authorization: `Bearer ${key}`, 'X-Edictum-Agent-Id': name },
    })
    outgoing.on('error', reject)
    outgoing.on('response', (incoming) => {
      incoming.setEncoding('utf8').on('data', (text) => {
        if (text.includes('event: bundle_updated')) onEvent()
      })
      incoming.on('error', () => undefined)
      outgoing.off('error', reject)
      outgoing.on('error', () => undefined)
      resolve(() => outgoing.destroy())
    })
    outgoing.end()
  })
}

/**
 * @param {number} processId
 * @returns {number} bytes; not a number where the system does not say
 */
function residentBytes(processId) {
  try {
    const status = readFileSync(`/proc/${processId}/status`, 'utf8')
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1_024
  } catch {
    return Number.NaN
  }
}

/**
 * @param {{ clients: number, rounds: number, databaseUrl?: string }} options
 * @returns {Promise<{ clients: number, lastMs: number[], bytesPerClient: number }>} times sorted
 */
export async function measureStreams({ clients, rounds, databaseUrl }) {
  const server = await runConsole({
    connections: 16,
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
  })
  const agent = new Agent({ maxSockets: Infinity })
  /** @type {(() => void)[]} */
  const closers = []
  try {
    const login = await ask(server.loginLink, { method: 'POST', headers: {} })
    const headers = {
      Cookie: login.headers['set-cookie']?.[0]?.split(';')[0] ?? '',
      'X-Requested-With': 'bench',
    }
    /** @param {number} version */
    const deploy = async (version) => {
      const uploaded = await ask(`${server.url}/api/v1/bundles`, {
        method: 'POST',
        headers,
        body: { yaml_content: bundleText(version) },
      })
      const path = `/api/v1/bundles/${bundleName}/${uploaded.body.version}/deploy`
      const startedAt = performance.now()
      await ask(server.url + path, { method: 'POST', headers, body: { env: 'production' } })
      return startedAt
    }
    const idle = residentBytes(server.processId)
    let heard = 0
    let allHeard = () => {}
    for (let from = 0; from < clients; from += 50)
      closers.push(
        ...(await Promise.all(
          Array.from({ length: Math.min(50, clients - from) }, (_, index) =>
            openStream(`${server.url}/api/edictum/v1/stream?bundle_name=${bundleName}`, {
              key: server.key,
              agent,
              name: `agent-${from + index}`,
              onEvent: () => {
                if (++heard === clients) allHeard()
              },
            }),
          ),
        )),
      )
    const bytesPerClient = (residentBytes(server.processId) - idle) / clients
    const lastMs = []
    for (let round = 1; round <= rounds; round++) {
      heard = 0
      /** @type {Promise<void>} */
      const everyone = new Promise((resolve) => (allHeard = resolve))
      const startedAt = await deploy(round)
      await everyone
      lastMs.push(performance.now() - startedAt)
    }
    return { clients, lastMs: lastMs.toSorted((left, right) => left - right), bytesPerClient }
  } finally {
    for (const close of closers) close()
    agent.destroy()
    await server.stop()
  }
}
