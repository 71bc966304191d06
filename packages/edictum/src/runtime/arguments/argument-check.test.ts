import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { EdictumConfigError } from '../../contracts/config-error.js'
import { type CheckedArguments, compileArgumentCheck } from './argument-check.js'
import { coerce } from './coerce.js'
import { readArguments } from './read-arguments.js'
import type { StandardSchema } from './standard-schema.js'

const types = (type: string | readonly string[], more: object = {}) => ({
  type: 'object',
  properties: { v: { type, ...more } },
})
const check = (value: unknown, schema: object) =>
  compileArgumentCheck('t', schema as never)({ v: value }) as CheckedArguments

describe('coercion without loss', () => {
  it.each([
    ['"42" to a number', '42', types('integer'), 42],
    ['"-1.5" to a number', '-1.5', types('number'), -1.5],
    ['"true"', 'true', types('boolean'), true],
    ['"false"', 'false', types('boolean'), false],
    ['a number to text', 42, types('string'), '42'],
    ['JSON text to a list', '[1,2]', types('array', { items: { type: 'integer' } }), [1, 2]],
    ['JSON text to a mapping', '{"a":1}', types('object'), { a: 1 }],
    ['one value to a list', 'x', types('array', { items: { type: 'string' } }), ['x']],
    ['one value to a list of numbers', '7', types('array', { items: { type: 'integer' } }), [7]],
    ['items of a list', ['1', 2], types('array', { items: { type: 'integer' } }), [1, 2]],
    [
      'the one type beside null',
      '5',
      { type: 'object', properties: { v: { anyOf: [{ type: 'integer' }, { type: 'null' }] } } },
      5,
    ],
    ['the first of two types that fits', '5', types(['boolean', 'integer']), 5],
  ])('turns %s', (_, value, schema, expected) => {
    expect(check(value, schema)).toEqual({ kind: 'valid', args: { v: expected }, wasCoerced: true })
  })

  it.each([
    ['a fraction to a whole number', 3.7, types('integer')],
    ['"3.7" to a whole number', '3.7', types('integer')],
    ['an empty text to a number', '', types('integer')],
    ['"1e3" to a number', '1e3', types('number')],
    ['"0x10" to a number', '0x10', types('number')],
    ['"007" to a number', '007', types('number')],
    ['" 5 " to a number', ' 5 ', types('number')],
    ['a number beyond what a number holds', '9007199254740993', types('integer')],
    ['"yes" to a truth value', 'yes', types('boolean')],
    ['1 to a truth value', 1, types('boolean')],
    ['a truth value to text', true, types('string')],
    ['a value near one of a list', 'Red', types('string', { enum: ['red'] })],
    [
      'one of several alternatives',
      '5',
      { type: 'object', properties: { v: { anyOf: [{ type: 'integer' }, { type: 'boolean' }] } } },
    ],
    ['null for what is required', null, { ...types('string'), required: ['v'] }],
  ])('does not turn %s', (_, value, schema) => {
    expect(check(value, schema).kind).toBe('invalid')
  })

  it('drops a null for what need not be given', () => {
    expect(check(null, types('string'))).toEqual({ kind: 'valid', args: {}, wasCoerced: true })
    expect(check(null, types(['string', 'null']))).toEqual({
      kind: 'valid',
      args: { v: null },
      wasCoerced: false,
    })
  })

  it('leaves what fits as it is', () => {
    const args = Object.freeze({ v: 5 })
    const checked = compileArgumentCheck('t', types('integer'))(args)
    expect(checked).toEqual({ kind: 'valid', args, wasCoerced: false })
  })

  it('changes nothing it could not write back', () => {
    const scalar = fc.oneof(fc.string(), fc.double(), fc.integer(), fc.boolean())
    fc.assert(
      fc.property(scalar, fc.constantFrom('integer', 'number', 'string', 'boolean'), (value, type) => {
        const fitted = coerce(value, { type })
        if (fitted !== value) expect(String(fitted)).toBe(String(value))
      }),
    )
  })

  it('looks into a text that became a mapping as it does into any other', () => {
    expect(check('{"__proto__":{"admin":true}}', types('object'))).toEqual({
      kind: 'invalid',
      errors: ['arguments must not have a field called __proto__'],
    })
  })
})

describe('a JSON Schema', () => {
  it('says what is wrong, and where', () => {
    const schema = {
      type: 'object',
      properties: { user: { type: 'object', properties: { age: { type: 'integer' } } } },
      required: ['path'],
      additionalProperties: false,
    }
    const checked = compileArgumentCheck('t', schema)({ user: { age: 'old' }, extra: 1 })
    expect(checked).toEqual({
      kind: 'invalid',
      errors: [
        "must have required property 'path'",
        'must NOT have additional properties (extra)',
        'user.age must be integer',
      ],
    })
  })

  it('may be written for the newest draft', () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { v: { type: 'array', prefixItems: [{ type: 'integer' }], items: false } },
    }
    expect(check([1], schema).kind).toBe('valid')
    expect(check([1, 2], schema).kind).toBe('invalid')
  })

  it('may have an id that another has too', () => {
    const first = compileArgumentCheck('t', { $id: 'https://tools.example/x', ...types('integer') })
    const second = compileArgumentCheck('t', { $id: 'https://tools.example/x', ...types('boolean') })
    expect([first({ v: true }), second({ v: true })]).toMatchObject([{ kind: 'invalid' }, { kind: 'valid' }])
  })

  it('is refused when it is none, with the name of the tool', () => {
    expect(() => compileArgumentCheck('mail', { type: 'objekt' })).toThrow(EdictumConfigError)
    expect(() => compileArgumentCheck('mail', { type: 'objekt' })).toThrow(/tools\.mail\.parameters/)
  })

  it('runs patterns in bounded time, and refuses those that cannot', () => {
    const slow = types('string', { pattern: '^(a+)+$' })
    const started = performance.now()
    expect(check(`${'a'.repeat(5_000)}!`, slow).kind).toBe('invalid')
    expect(performance.now() - started).toBeLessThan(1_000)
    expect(() => compileArgumentCheck('t', types('string', { pattern: String.raw`(x)\1` }))).toThrow(
      EdictumConfigError,
    )
  })
})

describe('a Standard Schema', () => {
  const schemaOf = (validate: StandardSchema['~standard']['validate']): StandardSchema => ({
    '~standard': { version: 1, vendor: 'test', validate },
  })

  it('is asked as it is, and what it makes of the arguments is used', async () => {
    const trims = schemaOf((value) => ({ value: { v: (value as { v: string }).v.trim() } }))
    const run = compileArgumentCheck('t', trims)
    expect(run({ v: ' a ' })).toEqual({ kind: 'valid', args: { v: 'a' }, wasCoerced: true })
    expect(run({ v: 'a' })).toEqual({ kind: 'valid', args: { v: 'a' }, wasCoerced: false })
  })

  it('may answer later, and says where it found what', async () => {
    const later = schemaOf(async () => ({ issues: [{ message: 'too old', path: ['user', { key: 'age' }] }] }))
    expect(await compileArgumentCheck('t', later)({})).toEqual({
      kind: 'invalid',
      errors: ['user.age: too old'],
    })
  })

  it.each([
    [
      'throws',
      schemaOf(() => {
        throw new Error('broken')
      }),
    ],
    [
      'rejects',
      schemaOf(async () => {
        throw new Error('broken')
      }),
    ],
    ['makes no mapping of them', schemaOf(() => ({ value: 'text' }))],
    ['makes a function of them', schemaOf(() => ({ value: { v: () => 1 } }))],
  ])('that %s accepts nothing', async (_, schema) => {
    expect(await compileArgumentCheck('t', schema)({})).toMatchObject({ kind: 'invalid' })
  })
})

describe('reading arguments', () => {
  it.each([undefined, null, '', '{}', {}])('takes %o for none', (given) => {
    expect(readArguments(given)).toEqual({ kind: 'read', args: {} })
  })

  it.each([
    ['{"a":', 'arguments are not valid JSON'],
    ['[1]', 'arguments must be a mapping'],
    ['"text"', 'arguments must be a mapping'],
    ['{"a":{"constructor":1}}', 'arguments must not have a field called constructor'],
    ['{"a":[{"prototype":1}]}', 'arguments must not have a field called prototype'],
  ])('says why it cannot read %s', (given, why) => {
    expect(readArguments(given)).toEqual({ kind: 'unreadable', why })
  })

  it('does not even parse a text beyond any measure', () => {
    const why = 'arguments have more than 1000000 characters'
    expect(readArguments(`"${'x'.repeat(1_000_000)}"`)).toEqual({ kind: 'unreadable', why })
  })

  it('freezes a copy, so that nothing changes between check and use', () => {
    const given = { list: [1] }
    const read = readArguments(given)
    given.list.push(2)
    expect(read).toEqual({ kind: 'read', args: { list: [1] } })
  })
})
