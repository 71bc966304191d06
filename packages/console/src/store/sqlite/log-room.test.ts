import {
  closeSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openSqlite } from './database.js'
import { makeRoom } from './log-room.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'edictum-log-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function makeRoomIn(path: string, bytes: number): void {
  const file = openSync(path, 'r+')
  makeRoom(file, bytes)
  closeSync(file)
}

describe('room for the log', () => {
  it('is made of zeros behind what is there', () => {
    const path = join(folder, 'log')
    writeFileSync(path, 'frames')
    makeRoomIn(path, 3_000_000)
    const bytes = readFileSync(path)
    expect(bytes).toHaveLength(3_000_000)
    expect(bytes.subarray(0, 6).toString()).toBe('frames')
    expect(bytes.subarray(6).every((byte) => byte === 0)).toBe(true)
  })

  it('is not taken from a log that is longer', () => {
    const path = join(folder, 'log')
    writeFileSync(path, 'a long log')
    makeRoomIn(path, 4)
    expect(readFileSync(path, 'utf8')).toBe('a long log')
  })

  it('is no part of the database: whoever opens what a crash left finds everything that was durable', async () => {
    const database = openSqlite(join(folder, 'console.db'))
    await database.transaction((inside) => inside.script('CREATE TABLE notes (text TEXT)'))
    for (const text of ['first', 'second']) await database.run('INSERT INTO notes VALUES (?)', [text])
    const length = statSync(join(folder, 'console.db-wal')).size
    const left = join(folder, 'left')
    mkdirSync(left)
    for (const name of ['console.db', 'console.db-wal']) cpSync(join(folder, name), join(left, name))
    await database.run('INSERT INTO notes VALUES (?)', ['third'])
    expect(statSync(join(folder, 'console.db-wal')).size).toBe(length)
    await database.close()

    const recovered = openSqlite(join(left, 'console.db'))
    await recovered.run('INSERT INTO notes VALUES (?)', ['after the crash'])
    const rows = await recovered.all<{ text: string }>('SELECT text FROM notes')
    expect(rows.map(({ text }) => text)).toEqual(['first', 'second', 'after the crash'])
    await recovered.close()
  })

  it('is an empty log when nothing was ever written', async () => {
    writeFileSync(join(folder, 'console.db'), '')
    writeFileSync(join(folder, 'console.db-wal'), new Uint8Array(100_000))
    const database = openSqlite(join(folder, 'console.db'))
    await database.transaction((inside) => inside.script('CREATE TABLE notes (text TEXT)'))
    expect(await database.all('SELECT text FROM notes')).toEqual([])
    await database.close()
  })
})
