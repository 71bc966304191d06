// @ts-check
// Real servers for tests and measurements: Redis, PostgreSQL and our console on free ports, with their data in a temporary folder.
// A server ends with the process that started it, however that one ends.

import { spawn } from 'node:child_process'
import {
  accessSync,
  chownSync,
  constants,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { createServer, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { root } from './workspace.mjs'

/**
 * Whether a write is on the disk when it is answered, or only with the system: then it outlives the server, but not the machine.
 * @typedef {'wait' | 'leave-to-system'} DiskUse
 */

/**
 * @typedef {object} Service
 * @property {string} url for a client
 * @property {() => Promise<void>} kill ends it as a crash would, with SIGKILL; its data stay
 * @property {() => Promise<void>} start again, on the same port, after `kill`
 * @property {() => Promise<void>} stop ends it and removes its data
 */

const patienceMs = 60_000
const debianPostgres = '/usr/lib/postgresql'

/** @returns {string[]} what is not installed; nothing when all is there */
export function missingServices() {
  const needed = { 'redis-server': findProgram('redis-server'), postgresql: findProgram('initdb') }
  return Object.entries(needed).flatMap(([name, file]) => (file === undefined ? [name] : []))
}

/**
 * @param {{ mode?: 'single' | 'cluster', disk?: DiskUse }} [options] `cluster`: one server that owns all
 *   slots and, as any node of a cluster, refuses keys that are not in one slot
 * @returns {Promise<Service>}
 */
export async function startRedis({ mode = 'single', disk = 'leave-to-system' } = {}) {
  const program = programOf('redis-server')
  const folder = mkdtempSync(join(tmpdir(), 'edictum-redis-'))
  const port = await freePort()
  const place = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder]
  const appendFile = ['--appendonly', 'yes', '--appendfsync', disk === 'wait' ? 'always' : 'no']
  const parameters = [...place, '--save', '', ...appendFile]
  if (mode === 'cluster') {
    // A node that has met no other does not know its own address, and could not tell a client.
    const settings = {
      'cluster-enabled': 'yes',
      'cluster-port': await freePort(),
      'cluster-announce-ip': '127.0.0.1',
    }
    parameters.push(...Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]))
  }
  const service = await openService({
    url: `redis://127.0.0.1:${port}`,
    folder,
    launch: () => launch(program, parameters),
    isReady: async () => (await askRedis(port, 'PING')).startsWith('+PONG'),
  })
  if (mode === 'cluster') {
    await askRedis(port, 'CLUSTER ADDSLOTSRANGE 0 16383')
    await until('the cluster', async () =>
      (await askRedis(port, 'CLUSTER INFO')).includes('cluster_state:ok'),
    )
  }
  return service
}

/**
 * @param {{ disk?: DiskUse }} [options]
 * @returns {Promise<Service>}
 */
export async function startPostgres({ disk = 'leave-to-system' } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'edictum-postgres-'))
  const port = await freePort()
  const data = join(folder, 'data')
  const user = unprivilegedUser()
  if (user !== undefined) chownSync(folder, user.uid, user.gid)
  await runToEnd(
    launch(
      programOf('initdb'),
      [
        '--pgdata',
        data,
        '--username',
        'postgres',
        '--auth',
        'trust',
        '--encoding',
        'UTF8',
        '--locale',
        'C',
        '--no-sync',
      ],
      user,
    ),
  )
  const settings = {
    port,
    unix_socket_directories: folder,
    listen_addresses: '127.0.0.1',
    max_connections: 300,
    fsync: disk === 'wait' ? 'on' : 'off',
  }
  const parameters = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  return openService({
    url: `postgresql://postgres@127.0.0.1:${port}/postgres`,
    folder,
    launch: () => launch(programOf('postgres'), ['-D', data, ...parameters], user),
    isReady: () => greetsAsPostgres(port),
  })
}

/**
 * The console on its embedded file.
 * @returns {Promise<Service>} with the API key behind the `#` of its URL
 */
export async function startConsole() {
  const folder = mkdtempSync(join(tmpdir(), 'edictum-console-'))
  return openConsole({ folder, parameters: [], variables: [] })
}

/**
 * The console with its counters in Redis, which is what can be killed here.
 * @returns {Promise<Service>} with the API key behind the `#` of its URL
 */
export async function startConsoleRedis() {
  const redis = await startRedis()
  const folder = mkdtempSync(join(tmpdir(), 'edictum-console-'))
  const console = await openConsole({ folder, parameters: ['--redis-url', redis.url], variables: [] })
  return {
    ...redis,
    url: console.url,
    stop: async () => {
      await console.stop()
      await redis.stop()
    },
  }
}

/**
 * Two nodes of the console on one PostgreSQL. Only the first one can be killed.
 * @returns {Promise<Service>} with both addresses in its URL, separated by a comma, and the API key behind the `#`
 */
export async function startConsoleNodes() {
  const postgres = await startPostgres()
  const shared = {
    parameters: ['--database-url', postgres.url],
    variables: [`EDICTUM_SECRET=${'shared-by-the-nodes-of-a-test'.repeat(2)}`],
  }
  const first = await openConsole({ ...shared, folder: mkdtempSync(join(tmpdir(), 'edictum-node-')) })
  const second = await openConsole({ ...shared, folder: mkdtempSync(join(tmpdir(), 'edictum-node-')) })
  const [address, key] = first.url.split('#')
  return {
    ...first,
    url: `${address},${second.url.split('#')[0]}#${key}`,
    stop: async () => {
      await first.stop()
      await second.stop()
      await postgres.stop()
    },
  }
}

/**
 * @param {{ folder: string, parameters: readonly string[], variables: readonly string[] }} options
 * @returns {Promise<Service>}
 */
async function openConsole({ folder, parameters, variables }) {
  const port = await freePort()
  const address = `http://127.0.0.1:${port}`
  const program = join(root, 'packages/console/dist/server/main.js')
  const command = [process.execPath, program, '--port', String(port), '--data', join(folder, 'data')]
  /** @type {() => string} */
  let firstWords = () => ''
  const service = await openService({
    url: address,
    folder,
    launch: async () => {
      const running = await launch('env', [...variables, ...command, ...parameters])
      if (firstWords() === '') firstWords = running.output
      return running
    },
    isReady: async () => (await fetch(`${address}/api/v1/health/ready`)).ok,
  })
  // A node that finds its database set up has no key to show.
  await until('the greeting of the console', async () => firstWords().includes('listens on'))
  await pause(100)
  return { ...service, url: `${address}#${/edk_\S+/.exec(firstWords())?.[0] ?? ''}` }
}

/**
 * @typedef {object} Running
 * @property {number} pid of the server
 * @property {() => string} output
 * @property {() => boolean} isOver
 * @property {Promise<number>} ended with its exit code
 * @property {() => void} dismiss ends it
 */

/**
 * @param {{ url: string, folder: string, launch: () => Promise<Running>, isReady: () => Promise<boolean> }} service
 * @returns {Promise<Service>}
 */
async function openService({ url, folder, launch, isReady }) {
  let running = await startReady()

  async function startReady() {
    const deadline = Date.now() + patienceMs
    for (;;) {
      const server = await launch()
      await until(url, async () => server.isOver() || (await isReady().catch(() => false)))
      if (!server.isOver()) return server
      // After a crash, what the old server left in shared memory may be in use for a moment.
      if (Date.now() > deadline) throw new Error(`${url} does not start:\n${server.output()}`)
      await pause(200)
    }
  }

  return {
    url,
    kill: async () => {
      process.kill(running.pid, 'SIGKILL')
      await until(`the end of ${url}`, async () => !(await isReady().catch(() => false)))
      running.dismiss()
      await running.ended
    },
    start: async () => {
      running = await startReady()
    },
    stop: async () => {
      running.dismiss()
      await running.ended
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

// The shell stands between us and the server: it ends the server when its own input does, which the system closes even when
// we are killed. It says first which process the server is.
const keeper =
  '"$@" </dev/null & server=$!; echo "$server"; cat >/dev/null; kill -INT "$server" 2>/dev/null; wait "$server"'

/**
 * @param {string} program
 * @param {readonly string[]} parameters
 * @param {{ uid: number, gid: number }} [user]
 * @returns {Promise<Running>}
 */
function launch(program, parameters, user) {
  return new Promise((resolve, reject) => {
    const child = spawn('sh', ['-c', keeper, 'sh', program, ...parameters], {
      ...user,
      cwd: tmpdir(),
      stdio: ['pipe', 'pipe', 'pipe'],
      // A group of its own: Ctrl-C ends us, and then we end the server.
      detached: true,
    })
    let output = ''
    let isOver = false
    /** @type {Promise<number>} */
    const ended = new Promise((settle) => {
      child.on('close', (code) => {
        isOver = true
        settle(code ?? 1)
      })
    })
    let pid = 0
    const watch = setInterval(() => {
      // The shell waits for us, not for the server.
      if (pid !== 0 && !isAlive(pid)) child.stdin.end()
    }, 100)
    watch.unref()
    child.on('close', () => clearInterval(watch))
    child.on('error', reject)
    child.stdin.on('error', () => undefined)
    child.stderr.setEncoding('utf8').on('data', (text) => (output += text))
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text
      if (pid !== 0) return
      pid = Number.parseInt(output, 10)
      resolve({ pid, output: () => output, isOver: () => isOver, ended, dismiss: () => child.stdin.end() })
    })
  })
}

/** @param {Promise<Running>} launched */
async function runToEnd(launched) {
  const { ended, output } = await launched
  const code = await ended
  if (code !== 0) throw new Error(`the database could not be created:\n${output()}`)
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/**
 * @param {string} what
 * @param {() => Promise<boolean>} isDone
 */
async function until(what, isDone) {
  const deadline = Date.now() + patienceMs
  while (!(await isDone())) {
    if (Date.now() > deadline) throw new Error(`waited ${patienceMs / 1_000} s for ${what}`)
    await pause(25)
  }
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.on('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}

/**
 * @param {number} port
 * @param {string} command
 */
function askRedis(port, command) {
  return exchange(port, `${command}\r\n`)
}

/**
 * PostgreSQL answers a request for encryption with one letter, before it knows who asks; while it starts, with nothing.
 * @param {number} port
 */
async function greetsAsPostgres(port) {
  const startup = Buffer.concat([
    Buffer.from([0, 3, 0, 0]),
    Buffer.from('user\0postgres\0database\0postgres\0\0'),
  ])
  const length = Buffer.alloc(4)
  length.writeInt32BE(startup.length + 4)
  // `R` is a request to authenticate; while it starts or recovers there is `E`, an error.
  return (await exchange(port, Buffer.concat([length, startup]))).startsWith('R')
}

/**
 * The beginning of what a server says to a message.
 * @param {number} port
 * @param {string | Buffer} message
 * @returns {Promise<string>}
 */
function exchange(port, message) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(message))
    socket.setTimeout(2_000, () => socket.destroy(new Error('no answer')))
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('no answer')))
    socket.once('data', (data) => {
      resolve(data.toString('latin1'))
      socket.destroy()
    })
  })
}

/** @param {string} name */
function programOf(name) {
  const file = findProgram(name)
  if (file === undefined) throw new Error(`${name} is not installed; run scripts/install-services.sh`)
  return file
}

/**
 * @param {string} name
 * @returns {string | undefined}
 */
function findProgram(name) {
  // Debian keeps the programs of PostgreSQL out of the search path, by version.
  const versions = existsSync(debianPostgres) ? readdirSync(debianPostgres).toSorted().reverse() : []
  const folders = [
    ...(process.env['PATH'] ?? '').split(delimiter),
    ...versions.map((version) => join(debianPostgres, version, 'bin')),
  ]
  return folders.map((folder) => join(folder, name)).find(isExecutable)
}

/** @param {string} file */
function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** PostgreSQL refuses to run as root. */
function unprivilegedUser() {
  if (process.getuid?.() !== 0) return undefined
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  const [account] = ['postgres', 'nobody'].flatMap((name) => accounts.filter(([user]) => user === name))
  if (account === undefined) throw new Error('no user `postgres` or `nobody` to run PostgreSQL as')
  return { uid: Number(account[2]), gid: Number(account[3]) }
}
