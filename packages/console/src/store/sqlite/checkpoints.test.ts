import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Checkpoints } from './checkpoints.js'
import { openSqlite } from './database.js'

describe('Checkpoints', () => {
  let folder: string
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'edictum-checkpoints-'))))
  afterEach(() => rmSync(folder, { recursive: true }))

  it('moves what is committed to the database before the log is full', async () => {
    const path = join(folder, 'file')
    const database = openSqlite(path)
    await database.transaction((inside) => inside.script('CREATE TABLE texts (text TEXT)'))
    const rows = Array.from({ length: 3_000 }, () => ['x'.repeat(2_000)])
    const before = statSync(path).size
    await database.transaction((inside) => inside.insert({ into: 'texts (text)', rows, then: '' }))
    // Some 1,500 pages, and the writer itself waits for 8,000.
    await expect.poll(() => statSync(path).size).toBeGreaterThan(before + 5_000_000)
    await database.close()

    const again = openSqlite(path)
    expect(await again.all('SELECT count(*) AS rows FROM texts')).toEqual([{ rows: 3_000 }])
    await again.close()
  })

  it('does without its thread when that fails', async () => {
    const checkpoints = new Checkpoints(join(folder, 'missing', 'file'))
    checkpoints.committed(10_000)
    await expect(checkpoints.close()).resolves.toBeUndefined()
    checkpoints.committed(10_000)
    await expect(checkpoints.close()).resolves.toBeUndefined()
  })
})
