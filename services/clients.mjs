// @ts-check
// The clients people bring, set up to give up soon: without that they go on trying for as long as the server is away.
import { Cluster, Redis } from 'ioredis'
import pg from 'pg'
import { createClient, createCluster } from 'redis'

const ignoreError = () => undefined
const reconnectMs = 20

/** @param {string} url */
export function openIoRedis(url) {
  const client = new Redis(url, {
    maxRetriesPerRequest: 1,
    retryStrategy: () => reconnectMs,
    commandTimeout: 10_000,
  })
  client.on('error', ignoreError)
  return { client, close: async () => client.disconnect() }
}

/** @param {string} url */
export async function openNodeRedis(url) {
  const client = createClient({
    url,
    disableOfflineQueue: true,
    socket: { reconnectStrategy: () => reconnectMs },
  })
  client.on('error', ignoreError)
  await client.connect()
  return { client, close: async () => client.destroy() }
}

/** @param {string} url */
export function openIoRedisCluster(url) {
  const client = new Cluster([url])
  client.on('error', ignoreError)
  return { client, close: async () => client.disconnect() }
}

/** @param {string} url */
export async function openNodeRedisCluster(url) {
  const client = createCluster({ rootNodes: [{ url }] })
  client.on('error', ignoreError)
  await client.connect()
  return { client, close: async () => client.destroy() }
}

/**
 * @param {string} url
 * @param {{ max?: number }} [options]
 */
export function openPool(url, { max = 10 } = {}) {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: 10_000,
    query_timeout: 10_000,
  })
  pool.on('error', ignoreError)
  return { pool, close: async () => pool.end() }
}
