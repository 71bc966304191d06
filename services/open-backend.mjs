// @ts-check
// A storage backend by name, with the client it needs. Anything else than the built-in names is a module that exports
// `openBackend(url)` with the same result, so that other backends can be put to the same tests.
import { pathToFileURL } from 'node:url'
import { PostgresBackend } from '../packages/edictum/dist/drivers/storage/postgres/index.js'
import { RedisBackend } from '../packages/edictum/dist/drivers/storage/redis/index.js'
import { EdictumServerClient, ServerBackend } from '../packages/edictum/dist/server/index.js'
import { openIoRedis, openNodeRedis, openPool } from './clients.mjs'

/**
 * @typedef {object} OpenedBackend
 * @property {import('../packages/edictum/dist/index.js').StorageBackend} backend
 * @property {() => Promise<void>} close
 */

/** @type {Record<string, (url: string) => Promise<OpenedBackend>>} */
const builtIn = {
  ioredis: async (url) => {
    const { client, close } = openIoRedis(url)
    return { backend: new RedisBackend(client), close }
  },
  'node-redis': async (url) => {
    const { client, close } = await openNodeRedis(url)
    return { backend: new RedisBackend(client), close }
  },
  postgres: async (url) => {
    const { pool, close } = openPool(url, { max: 4 })
    const backend = new PostgresBackend(pool)
    await backend.migrate()
    return { backend, close }
  },
  console: async (url) => {
    const [addresses = '', apiKey = ''] = url.split('#')
    const nodes = addresses.split(',')
    const baseUrl = nodes[Math.floor(Math.random() * nodes.length)] ?? ''
    const backend = new ServerBackend(new EdictumServerClient({ baseUrl, apiKey }), { timeoutMs: 20_000 })
    return { backend, close: () => backend.close() }
  },
}

/**
 * @param {string} name
 * @param {string} url
 * @returns {Promise<OpenedBackend>}
 */
export async function openBackend(name, url) {
  const open = builtIn[name] ?? (await import(pathToFileURL(name).href)).openBackend
  return open(url)
}
