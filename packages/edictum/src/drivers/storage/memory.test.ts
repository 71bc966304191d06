import { describe, it } from 'vitest'

import type { StorageBackend } from '../../guard/ports/storage-backend.js'
import { describeStorageBackend } from '../../testing/describe-storage-backend.js'
import { MemoryBackend } from './memory.js'

describeStorageBackend('MemoryBackend', {
  describe,
  it,
  offers: ['atomic-steps'],
  open: async () => {
    let now = 1_750_000_000_000
    const passSeconds = async (seconds: number) => {
      now += seconds * 1_000
    }
    return { backend: new MemoryBackend({ now: () => now }), passSeconds }
  },
})

describeStorageBackend('a backend with only the four methods', {
  describe,
  it,
  offers: [],
  open: async () => ({ backend: fourMethodsOf(new MemoryBackend()) }),
})

function fourMethodsOf(memory: MemoryBackend): StorageBackend {
  return {
    get: async (key) => memory.get(key),
    set: async (key, value) => memory.set(key, value),
    delete: async (key) => memory.delete(key),
    increment: async (key, amount) => memory.increment(key, amount),
  }
}
