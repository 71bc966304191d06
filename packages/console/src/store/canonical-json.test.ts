import canonicalize from 'canonicalize'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson } from './canonical-json.js'

describe('canonicalJson', () => {
  it('writes what the standard says, for any data', () => {
    const key = fc.oneof(
      fc.string(),
      fc.nat().map(String),
      fc.constant('__proto__'),
      fc.string({ unit: 'binary' }),
    )
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.string({ unit: 'binary' }),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value')),
        fc.array(fc.tuple(key, tie('value'))).map((entries) => JSON.parse(writeObject(entries)) as unknown),
      ),
    }))
    fc.assert(
      fc.property(value, (data) => {
        const plain = JSON.parse(JSON.stringify(data)) as unknown
        expect(canonicalJson(plain)).toBe(canonicalize(plain))
      }),
      { numRuns: 300 },
    )
  })

  it('puts names in the order of their characters, numbers among them', () => {
    expect(canonicalJson({ b: 1, a: 2, 10: 3, 9: 4 })).toBe('{"10":3,"9":4,"a":2,"b":1}')
  })

  it('is not confused by shapes it has seen before', () => {
    const shapes = Array.from({ length: 100 }, (_, index) => ({ [`b${index}`]: 1, a: [{}, []], ' "': index }))
    for (const shape of [...shapes, ...shapes]) expect(canonicalJson(shape)).toBe(canonicalize(shape))
    expect(canonicalJson({ b: 1, a: 2 })).toBe(canonicalJson({ a: 2, b: 1 }))
  })

  it('refuses data nested too deep to be walked, instead of writing half of it', () => {
    let deep: unknown = {}
    for (let level = 0; level < 100_000; level++) deep = [deep]
    expect(() => canonicalJson(deep)).toThrow(RangeError)
  })
})

/** As text, so that a field may be called anything. */
function writeObject(entries: readonly (readonly [string, unknown])[]): string {
  return `{${entries.map(([name, field]) => `${JSON.stringify(name)}:${JSON.stringify(field)}`).join()}}`
}
