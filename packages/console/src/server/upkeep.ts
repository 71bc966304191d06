// What nobody needs any more is removed a little at a time, on every node: doing it twice does no harm.
import { readSetting } from '../store/tenants.js'
import { removeExpired } from '../store/expired.js'
import type { Services } from './services.js'

export const retentionSetting = 'event-retention-days'

const everyMs = 60_000
const mostPerRound = 5_000
const dayMs = 24 * 60 * 60 * 1_000

/** @returns a function that ends it. */
export function startUpkeep(services: Services): () => Promise<void> {
  let running = Promise.resolve()
  const timer = setInterval(() => {
    running = running
      .then(() => runUpkeep(services))
      .catch((error: unknown) => {
        services.log('error', 'upkeep failed', { error: String(error) })
      })
  }, everyMs)
  timer.unref()
  return async () => {
    clearInterval(timer)
    await running
  }
}

export async function runUpkeep({
  store,
  rateLimiter,
  loginLimiter,
  keyLimiter,
  stopping,
  now,
}: Services): Promise<void> {
  rateLimiter.forgetFull(now())
  loginLimiter.forgetFull(now())
  keyLimiter.forgetFull(now())
  await removeExpired(store.database, now())
  for (const { id } of await store.tenants.list()) {
    const days = Number(await readSetting(store.database, { tenant: id, name: retentionSetting }))
    if (!(days > 0)) continue
    let removed
    do {
      removed = await store.events.removeBefore(id, now() - days * dayMs, mostPerRound)
    } while (removed === mostPerRound && !stopping.aborted)
  }
}
