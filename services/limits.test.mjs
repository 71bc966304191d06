// @ts-check
// One session shared by processes: its limit holds while they are killed, and while the server is. The large version of this,
// with twenty processes, is scripts/prove-limits.mjs.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { crashOf, proveLimits } from '../scripts/prove-limits.mjs'
import { startConsole, startConsoleRedis, startPostgres, startRedis } from '../scripts/services.mjs'

describe.each([
  { server: 'Redis', backend: 'ioredis', start: startRedis },
  { server: 'PostgreSQL', backend: 'postgres', start: startPostgres },
  { server: 'the console', backend: 'console', start: startConsole },
  // Here it is Redis that crashes, behind a console that goes on.
  { server: 'the console with counters in Redis', backend: 'console', start: startConsoleRedis },
])('a limit of 50 shared through $server', { timeout: 120_000 }, ({ backend, start }) => {
  /** @type {import('../scripts/services.mjs').Service} */
  let server
  beforeAll(async () => {
    server = await start()
  })
  afterAll(async () => {
    await server?.stop()
  })

  it('lets exactly 50 of 400 calls run in four processes', async () => {
    const proof = await proveLimits({ backend, url: server.url, processes: 4, kills: 0, failingShare: 0 })
    expect(proof).toMatchObject({ faults: [], begun: 50, succeeded: 50, stored: 50, limited: 350 })
  })

  it('is never exceeded while processes are killed and calls fail', async () => {
    const proof = await proveLimits({ backend, url: server.url, processes: 5, kills: 3, waves: 5 })
    expect(proof).toMatchObject({ faults: [], unavailable: 0 })
    expect(proof.killed).toBeGreaterThan(0)
    expect(proof.begun).toBeGreaterThan(0)
  })

  it('can be used up when the leases of killed processes are over', async () => {
    const scene = { backend, url: server.url, sessionId: `leases of ${backend}`, leaseSeconds: 8 }
    const first = await proveLimits({ ...scene, processes: 4, kills: 3, waves: 5 })
    expect(first.killed).toBe(3)
    await new Promise((resolve) => setTimeout(resolve, scene.leaseSeconds * 1_000))
    const second = await proveLimits({ ...scene, processes: 2, kills: 0, failingShare: 0 })
    expect(second).toMatchObject({ faults: [], stored: 50 })
  })

  it('is never exceeded when the server crashes: no call runs without it, and what ran is counted later', async () => {
    const scene = { backend, url: server.url, processes: 3, kills: 0, waves: 25, meanwhile: crashOf(server) }
    const proof = await proveLimits(scene)
    expect(proof.faults).toEqual([])
    expect(proof.unavailable).toBeGreaterThan(0)
    // Redis counts and remembers the answer in two steps: what it was told between them is counted again when it is repeated.
    if (start === startConsoleRedis) expect(proof.stored).toBeGreaterThanOrEqual(proof.succeeded)
    else expect(proof.stored).toBe(proof.succeeded)
  })
})
