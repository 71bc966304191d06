import { describe, expect, it } from 'vitest'

import { randomId } from './platform.js'

describe('randomId', () => {
  // More than one filling of the pool behind it.
  const ids = Array.from({ length: 1_000 }, () => randomId())

  it('makes UUIDs of version 4', () => {
    for (const id of ids)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })

  it('never repeats itself, and uses every digit everywhere it may', () => {
    expect(new Set(ids).size).toBe(ids.length)
    const free = [...Array.from({ length: 36 }).keys()].filter((at) => ![8, 13, 14, 18, 19, 23].includes(at))
    for (const at of free) expect(new Set(ids.map((id) => id[at])).size, `digit ${at}`).toBe(16)
  })
})
