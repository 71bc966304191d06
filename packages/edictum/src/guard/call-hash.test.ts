import { describe, expect, it } from 'vitest'

import { createEnvelope } from '../create-envelope.js'
import { hashOfCall } from './call-hash.js'

const hash = (args: Readonly<Record<string, unknown>>, tool = 'T') => hashOfCall(createEnvelope(tool, args))

describe('hashOfCall', () => {
  it('does not depend on the order of keys, at any depth', () => {
    expect(hash({ a: 1, b: { c: 2, d: 3 } })).toBe(hash({ b: { d: 3, c: 2 }, a: 1 }))
  })

  it('tells apart everything a tool could tell apart', () => {
    const calls: readonly Readonly<Record<string, unknown>>[] = [
      { a: 1 },
      { a: '1' },
      { a: 1n },
      { a: '1n' },
      { a: Number.NaN },
      { a: null },
      { a: undefined },
      {},
      { a: [1] },
      { a: { 0: 1 } },
      { a: new Uint8Array([1]) },
      { a: new Date(1) },
      { a: 'date(1)' },
      { a: [1, 2] },
      { a: ['1,2'] },
    ]
    expect(new Set([...calls.map((args) => hash(args)), hash({}, 'U')]).size).toBe(calls.length + 1)
  })
})
