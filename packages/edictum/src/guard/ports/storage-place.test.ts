import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { checkStoredValue, fieldOfTool, placeOfKey, scopeOfSession } from './storage-place.js'
import { sessionKeys } from './storage-backend.js'

/** Any text, with what is hard to store more often than chance would have it. */
const anyText = fc.string({
  unit: fc.oneof(
    fc.constantFrom('%', '{', '}', ':', 's', '\0', 'h', '0', ' ', '\ud800', '\udc00', '🦊', 'é'),
    fc.string({ minLength: 1, maxLength: 1, unit: 'binary' }),
  ),
  maxLength: 300,
})

describe('placeOfKey', () => {
  it('gives different keys different places', () => {
    fc.assert(
      fc.property(anyText, anyText, (first, second) => {
        const same = JSON.stringify(placeOfKey(first)) === JSON.stringify(placeOfKey(second))
        expect(same).toBe(first === second)
      }),
      { numRuns: 2_000 },
    )
  })

  it('gives all keys of a session one scope, and makes text of it that any storage keeps', () => {
    fc.assert(
      fc.property(
        anyText.filter((id) => id !== '' && !id.includes(':')),
        anyText,
        (sessionId, toolName) => {
          const keys = sessionKeys(sessionId, toolName)
          for (const key of Object.values(keys)) {
            const { scope, field } = placeOfKey(key)
            expect(scope).toBe(scopeOfSession(sessionId))
            expect(`${scope} ${field}`).not.toMatch(/[{}\0]|\p{Surrogate}/u)
            expect(Buffer.byteLength(scope) + Buffer.byteLength(field)).toBeLessThan(2_000)
          }
          expect(placeOfKey(keys.toolExecutions).field).toBe(fieldOfTool(toolName))
        },
      ),
    )
  })

  it('leaves ordinary names readable', () => {
    expect(placeOfKey('s:chat-7:tool:read_file')).toEqual({ scope: 's:chat-7', field: 'tool:read_file' })
    expect(placeOfKey('settings')).toEqual({ scope: 'k:settings', field: 'value' })
  })
})

describe('checkStoredValue', () => {
  it('refuses what would come back changed', () => {
    expect(() => checkStoredValue('\ud800')).toThrow('well-formed')
    expect(checkStoredValue('🦊')).toBe('🦊')
  })
})
