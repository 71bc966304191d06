import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromStorable, toStorable } from './storable-text.js'

describe('toStorable', () => {
  const text = fc.array(
    fc.oneof(
      fc.constantFrom('\\', '\\u0000', '\0', '\ud800', '\udc00', '🦊', 'u', '0'),
      fc.string({ unit: 'binary' }),
    ),
  )

  it('loses nothing, and leaves nothing a database would change', () => {
    fc.assert(
      fc.property(
        text.map((parts) => parts.join('')),
        (original) => {
          const stored = toStorable(original)
          expect(fromStorable(stored)).toBe(original)
          expect(Buffer.from(stored).toString()).toBe(stored)
          expect(stored).not.toContain('\0')
        },
      ),
    )
  })
})
