import { describe, expect, it } from 'vitest'
import { EdictumConfigError } from '../../contracts/config-error.js'
import { describeArtifactStore } from '../../testing/describe-artifact-store.js'
import { MemoryArtifactStore } from './memory.js'

describeArtifactStore('MemoryArtifactStore', {
  describe,
  it,
  open: (settings) => new MemoryArtifactStore(settings),
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
