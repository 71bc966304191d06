// @ts-check
// The programs in the documentation that need Redis or PostgreSQL (```ts servers), run with real ones.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { placeOf, promisesOf, readDocuments, tryBlock } from '../scripts/documentation.mjs'
import { startPostgres, startRedis } from '../scripts/services.mjs'

const documents = await readDocuments()
const programs = documents.flatMap((document) =>
  document.page.blocks
    .filter(({ words }) => words.includes('servers'))
    .map((block) => ({ place: placeOf(document, block), document, block })),
)

describe('the documentation of shared storage', { timeout: 180_000 }, () => {
  /** @type {import('../scripts/services.mjs').Service[]} */
  const services = []

  beforeAll(async () => {
    services.push(await startRedis(), await startPostgres())
  })

  afterAll(async () => {
    for (const service of services) await service.stop()
  })

  it.each(programs)('does what it says in $place', async ({ document, block }) => {
    expect(promisesOf(block)).not.toEqual([])
    const [redis, postgres] = services
    const environment = { REDIS_URL: redis?.url ?? '', POSTGRES_URL: postgres?.url ?? '' }
    expect(await tryBlock(document, block, { environment })).toBe('')
  })
})
