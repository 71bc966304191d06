// A PostgreSQL of its own for tests: the server of the system, on a free port, with its data in a temporary folder.
import { execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'

export interface PostgresServer {
  readonly url: string
  /** An empty database on this server. */
  readonly createDatabase: () => Promise<string>
  readonly stop: () => Promise<void>
}

export async function startPostgres(): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'edictum-console-postgres-'))
  const user = process.getuid?.() === 0 ? postgresUser() : undefined
  if (user !== undefined) chownSync(folder, user.uid, user.gid)
  const data = join(folder, 'data')
  execFileSync(
    programOf('initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale', 'C', '--no-sync'],
    { ...user, cwd: tmpdir(), stdio: 'ignore' },
  )
  const port = await freePort()
  const settings = ['-p', String(port), '-k', folder, '-c', 'listen_addresses=127.0.0.1', '-c', 'fsync=off']
  const server = spawn(programOf('postgres'), ['-D', data, ...settings, '-c', 'max_connections=200'], {
    ...user,
    cwd: tmpdir(),
    stdio: 'ignore',
  })
  const ended = new Promise((resolve) => server.once('exit', resolve))
  const url = `postgresql://postgres@127.0.0.1:${port}/postgres`
  for (let attempts = 0; !(await answers(url)); attempts++) {
    if (attempts > 200) throw new Error('PostgreSQL does not start')
    await pause(50)
  }
  let databases = 0
  return {
    url,
    createDatabase: async () => {
      const name = `console_${++databases}_${process.pid}`
      await query(url, `CREATE DATABASE ${name}`)
      return url.replace(/postgres$/, name)
    },
    stop: async () => {
      server.kill('SIGINT')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function query(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

function answers(url: string): Promise<boolean> {
  return query(url, 'SELECT 1').then(
    () => true,
    () => false,
  )
}

/** It refuses to run as root. */
function postgresUser(): { readonly uid: number; readonly gid: number } {
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

function programOf(name: string): string {
  const versions = '/usr/lib/postgresql'
  const folders = existsSync(versions)
    ? readdirSync(versions).map((version) => join(versions, version, 'bin'))
    : []
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file)) ?? name
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}
