import { describe, expect, it } from 'vitest'
import { EdictumConfigError } from '../../contracts/config-error.js'
import { describeArtifactStore } from '../../testing/describe-artifact-store.js'
import { MemoryArtifactStore } from './memory.js'

describeArtifactStore('MemoryArtifactStore', {
  describe,
  it,
  open: (settings) => new MemoryArtifactStore(settings),
})

describe('a store', () => {
  it('takes no text that nobody has masked', async () => {
    const unmasked = 'text of whatever kind'
    // @ts-expect-error -- plain text is not assignable to Redacted<string>
    const stored = await new MemoryArtifactStore().store({ sessionId: 's', toolName: 't', text: unmasked })
    expect(stored.sizeBytes).toBe(21)
  })
})

describe('the settings of a store', () => {
  it.each([
    { ttlSeconds: 0 },
    { ttlSeconds: -1 },
    { ttlSeconds: Number.NaN },
    { ttlSeconds: Infinity },
    { limits: { sessionBytes: -1 } },
    { limits: { totalArtifacts: Number.NaN } },
  ])('refuse %o', (options) => {
    expect(() => new MemoryArtifactStore(options)).toThrow(EdictumConfigError)
  })
})
