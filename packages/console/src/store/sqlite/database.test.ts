import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Database, Transaction } from '../database.js'
import { openSqlite } from './database.js'

/** A disk that takes as long as the test wants, or fails. */
class Disk {
  readonly #waiting: { readonly arrive: () => void; readonly fail: (error: Error) => void }[] = []

  readonly sync = (): Promise<void> =>
    new Promise((arrive, fail) => void this.#waiting.push({ arrive, fail }))

  async arrive(): Promise<void> {
    await vi.waitUntil(() => this.#waiting.length > 0, { timeout: 30_000 })
    for (const { arrive } of this.#waiting.splice(0)) arrive()
  }

  async fail(): Promise<void> {
    await vi.waitUntil(() => this.#waiting.length > 0, { timeout: 30_000 })
    for (const { fail } of this.#waiting.splice(0)) fail(new Error('EIO'))
  }
}

const count = (transaction: Transaction) => transaction.run('UPDATE counter SET number = number + 1')

describe('openSqlite', () => {
  let folder: string
  let disk: Disk
  let database: Database

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'edictum-sqlite-'))
    const first = openSqlite(join(folder, 'file'))
    await first.transaction((inside) =>
      inside.script('CREATE TABLE counter (number INTEGER); INSERT INTO counter VALUES (0)'),
    )
    await first.close()
    disk = new Disk()
    database = openSqlite(join(folder, 'file'), disk.sync)
    // It begins with a trip, so that the first commit has less to wait for.
    await disk.arrive()
  })

  afterEach(() => rmSync(folder, { recursive: true }))

  it('answers when what is committed is on the disk', async () => {
    let isAnswered = false
    const answer = database.transaction(count).then(() => (isAnswered = true))
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(isAnswered).toBe(false)
    await disk.arrive()
    await answer
    await database.close()
  })

  it('answers what does not want to wait as soon as it is committed, and brings it to the disk all the same', async () => {
    await database.transaction(count, 'when-committed')
    await disk.arrive()
    expect(await database.all('SELECT number FROM counter')).toEqual([{ number: 1 }])
    await database.close()
  })

  it('lets one that waits and one that does not share a commit', async () => {
    let isDurable = false
    const durable = database.transaction(count).then(() => (isDurable = true))
    await database.transaction(count, 'when-committed')
    expect(isDurable).toBe(false)
    await disk.arrive()
    await durable
    await database.close()
  })

  it('tells of a change only when it is durable, whoever does not want to wait', async () => {
    const heard: string[] = []
    database.subscribe(({ kind }) => heard.push(kind))
    const change = { kind: 'counted', tenant: 1, subject: 'counter' }
    const answer = database.transaction((inside) => inside.announce(change), 'when-committed')
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(heard).toEqual([])
    await disk.arrive()
    await answer
    expect(heard).toEqual(['counted'])
    await database.close()
  })

  it('answers nobody any more on a disk that failed', async () => {
    await database.transaction(count, 'when-committed')
    await disk.fail()
    await expect(database.transaction(count, 'when-committed')).rejects.toThrow('the disk failed')
    await expect(database.transaction(count)).rejects.toThrow('the disk failed')
  })
})
