import { describe, expect, it } from 'vitest'

import { detectorsFiring, detectsInValue } from './detect-in-value.js'
import { detectorSet } from './detectors/detector-set.js'

const personal = detectorSet(['pii'])
const secrets = detectorSet(['secrets'])

describe('looking into a value', () => {
  it.each([
    ['a text', 'id 123-45-6789'],
    ['a number', 4_111_111_111_111_111],
    ['a large number', 4_111_111_111_111_111n],
    ['a list', [1, ['123-45-6789']]],
    ['a mapping', { a: { b: '123-45-6789' } }],
    ['a key', { '123-45-6789': true }],
    ['a map', new Map([['a', '123-45-6789']])],
    ['a key of a map', new Map([['123-45-6789', 1]])],
    ['a set', new Set(['123-45-6789'])],
    ['an error', new Error('no customer 123-45-6789')],
    ['the cause of an error', new Error('no', { cause: { id: '123-45-6789' } })],
    ['bytes', new TextEncoder().encode('123-45-6789')],
  ])('finds something in %s', (_kind, value) => {
    expect(detectsInValue(value, personal)).toBe(true)
  })

  it.each([true, null, undefined, 'nothing', 7, [], {}, new Date(0)])('finds nothing in %j', (value) => {
    expect(detectsInValue(value, personal)).toBe(false)
  })

  it('takes the name of a field for what it says about its value', () => {
    expect(detectsInValue({ user: { password: 'Tr0ub4dor&3x' } }, secrets)).toBe(true)
    expect(detectsInValue(new Map([['password', 'Tr0ub4dor&3x']]), secrets)).toBe(true)
    expect(detectsInValue({ user: { motto: 'Tr0ub4dor&3x' } }, secrets)).toBe(false)
  })

  it('comes to an end in data that contains itself', () => {
    const value: Record<string, unknown> = { a: 1 }
    value['self'] = value
    expect(detectsInValue(value, personal)).toBe(false)
  })

  it('does not claim to have looked at what is nested too deep', () => {
    let value: unknown = '123-45-6789'
    for (let depth = 0; depth < 300; depth++) value = [value]
    expect(() => detectsInValue(value, personal)).toThrow('nested more than 200 levels deep')
  })

  it('names the detectors that found something', () => {
    expect(detectorsFiring({ a: 'ann@example.org', b: ['123-45-6789'] }, personal)).toEqual(['email', 'ssn'])
  })
})
