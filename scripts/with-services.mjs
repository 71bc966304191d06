// @ts-check
// node scripts/with-services.mjs <command> [parameter…]: runs a command with a Redis, a Redis cluster and a PostgreSQL of its
// own, whose addresses are in REDIS_URL, REDIS_CLUSTER_URL and POSTGRES_URL, and ends them with it.

import { spawn } from 'node:child_process'
import { startPostgres, startRedis } from './services.mjs'

const [command, ...parameters] = process.argv.slice(2)
if (command === undefined) {
  console.error('usage: node scripts/with-services.mjs <command> [parameter…]')
  process.exit(2)
}

const services = await Promise.all([startRedis(), startRedis({ mode: 'cluster' }), startPostgres()])
const [redis, cluster, postgres] = services
try {
  process.exitCode = await new Promise((resolve, reject) => {
    const child = spawn(command, parameters, {
      stdio: 'inherit',
      env: {
        ...process.env,
        REDIS_URL: redis.url,
        REDIS_CLUSTER_URL: cluster.url,
        POSTGRES_URL: postgres.url,
      },
    })
    child.on('error', reject)
    child.on('close', (code) => resolve(code ?? 1))
    for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM']))
      process.on(signal, () => child.kill(signal))
  })
} finally {
  await Promise.all(services.map(({ stop }) => stop()))
}
