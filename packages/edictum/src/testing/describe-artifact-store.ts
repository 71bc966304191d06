// What the runtime expects of any artifact store, for any test runner that has `describe` and `it`.
import assert from 'node:assert/strict'
import type { ArtifactReference, ArtifactStore } from '../runtime/artifacts/artifact-store.js'
import { markRedacted } from '../runtime/redacted.js'

export interface ArtifactStoreSettings {
  readonly ttlSeconds: number
  readonly limits: {
    readonly sessionArtifacts: number
    readonly sessionBytes: number
    readonly totalArtifacts: number
    readonly totalBytes: number
  }
  /** The time the store has to go by, in milliseconds since 1970. */
  readonly now: () => number
}

export interface ArtifactStoreKit {
  readonly describe: (name: string, body: () => void) => void
  readonly it: (name: string, body: () => Promise<void>) => void
  /** A fresh, empty store. */
  readonly open: (settings: ArtifactStoreSettings) => ArtifactStore | Promise<ArtifactStore>
}

const roomy = { sessionArtifacts: 100, sessionBytes: 1e7, totalArtifacts: 100, totalBytes: 1e7 }
const start = 1_750_000_000_000

export function describeArtifactStore(name: string, { describe, it, open }: ArtifactStoreKit): void {
  const setUp = async (limits: Partial<ArtifactStoreSettings['limits']> = {}) => {
    let now = start
    const store = await open({ ttlSeconds: 60, limits: { ...roomy, ...limits }, now: () => now })
    return {
      store,
      passSeconds: (seconds: number) => (now += seconds * 1_000),
      put: (sessionId: string, text: string): Promise<ArtifactReference> =>
        store.store({ sessionId, toolName: 'list_files', text: markRedacted(text) }),
    }
  }

  describe(`${name} as an artifact store`, () => {
    it('gives back exactly what was stored', async () => {
      const { store, put } = await setUp()
      const texts = [
        '',
        'short',
        'x'.repeat(200_000),
        'line\r\nline\n\ttab \u0000\u001b[31m "quoted" \\',
        '🦊é漢字'.repeat(999),
      ]
      for (const text of texts) {
        const { artifactId } = await put('session-1', text)
        assert.equal(await store.read('session-1', artifactId), text)
      }
    })

    it('describes what was stored', async () => {
      const { put } = await setUp()
      const { artifactId, ...rest } = await put('session-1', 'first line\r\nsecond é')
      assert.match(artifactId, /^[\w-]{8,}$/)
      assert.deepEqual(rest, { sizeBytes: 21, summary: 'first line second é', expiresAt: start + 60_000 })
    })

    it('summarises in at most 200 characters and splits none in two', async () => {
      const { put } = await setUp()
      const { summary } = await put('session-1', `${'x'.repeat(199)}🦊 and more`)
      assert.equal(summary, 'x'.repeat(199))
    })

    it('hands out ids that tell nothing and never repeat', async () => {
      const { put } = await setUp()
      const references = await Promise.all(Array.from({ length: 50 }, () => put('session-1', 'same')))
      assert.equal(new Set(references.map(({ artifactId }) => artifactId)).size, 50)
    })

    it('tells another session no more than that there is no such artifact', async () => {
      const { store, put } = await setUp()
      const { artifactId } = await put('session-1', 'mine')
      for (const stranger of ['session-2', '', 'SESSION-1', 'session-1 ', 'session-1/../session-1']) {
        assert.equal(await store.read(stranger, artifactId), undefined)
      }
      assert.equal(await store.read('session-1', artifactId), 'mine')
    })

    it('keeps apart sessions whose ids look like paths, patterns or broken text', async () => {
      const { store, put } = await setUp()
      const sessions = [
        '../../etc',
        '..',
        '.',
        '*',
        'a/b',
        'a:b',
        'a\u0000b',
        '__proto__',
        '\ud800',
        '\ud801',
        'é',
        'e\u0301',
      ]
      const stored = await Promise.all(
        sessions.map(async (session) => ({
          session,
          id: (await put(session, session.normalize('NFD') + '!')).artifactId,
        })),
      )
      for (const { session, id } of stored) {
        for (const reader of sessions) {
          assert.equal((await store.read(reader, id)) !== undefined, reader === session)
        }
      }
    })

    it('knows no artifact by an id it did not hand out', async () => {
      const { store, put } = await setUp()
      const { artifactId } = await put('session-1', 'text')
      const guesses = [
        '',
        '.',
        '..',
        '../',
        '*',
        `${artifactId}/`,
        `./${artifactId}`,
        artifactId.slice(0, -1),
        `${artifactId}\u0000`,
        '__proto__',
        'constructor',
      ]
      for (const guess of guesses) assert.equal(await store.read('session-1', guess), undefined)
    })

    it('forgets an artifact when its time is over', async () => {
      const { store, put, passSeconds } = await setUp()
      const { artifactId } = await put('session-1', 'text')
      passSeconds(59.999)
      assert.equal(await store.read('session-1', artifactId), 'text')
      passSeconds(0.001)
      assert.equal(await store.read('session-1', artifactId), undefined)
    })

    it('sweeps what has expired and nothing else', async () => {
      const { store, put, passSeconds } = await setUp()
      await put('session-1', 'old')
      await put('session-2', 'old too')
      passSeconds(30)
      const { artifactId } = await put('session-1', 'young')
      assert.equal(await store.sweep(), 0)
      passSeconds(30)
      assert.equal(await store.sweep(), 2)
      assert.equal(await store.sweep(), 0)
      assert.equal(await store.read('session-1', artifactId), 'young')
    })

    it('cleans up one session and leaves the others alone', async () => {
      const { store, put } = await setUp()
      const gone = await put('session-1', 'one')
      await put('session-1', 'two')
      const kept = await put('session-2', 'three')
      assert.equal(await store.cleanupSession('session-1'), 2)
      assert.equal(await store.cleanupSession('session-1'), 0)
      assert.equal(await store.read('session-1', gone.artifactId), undefined)
      assert.equal(await store.read('session-2', kept.artifactId), 'three')
    })

    it('refuses one artifact too many for a session, and only for that session', async () => {
      const { put } = await setUp({ sessionArtifacts: 2 })
      await put('session-1', 'one')
      await put('session-1', 'two')
      await assert.rejects(put('session-1', 'three'))
      await put('session-2', 'one')
    })

    it('refuses one byte too many for a session, counted in UTF-8', async () => {
      const { put } = await setUp({ sessionBytes: 10 })
      await put('session-1', 'ééé')
      await assert.rejects(put('session-1', 'ééx'))
      await put('session-1', 'éé')
      await put('session-2', 'x'.repeat(10))
    })

    it('refuses what is too much for all sessions together', async () => {
      const { put } = await setUp({ totalArtifacts: 2, totalBytes: 10 })
      await put('session-1', 'x'.repeat(5))
      await assert.rejects(put('session-2', 'x'.repeat(6)))
      await put('session-2', 'x')
      await assert.rejects(put('session-3', ''))
    })

    it('admits exactly as many as fit when they arrive at once', async () => {
      const { put } = await setUp({ sessionArtifacts: 5 })
      const results = await Promise.allSettled(Array.from({ length: 20 }, () => put('session-1', 'text')))
      assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 5)
    })

    it('has room again when artifacts have expired or were removed', async () => {
      const { store, put, passSeconds } = await setUp({ totalArtifacts: 1 })
      await put('session-1', 'one')
      passSeconds(60)
      await put('session-2', 'two')
      await store.cleanupSession('session-2')
      await put('session-3', 'three')
    })

    it('keeps nothing of what it refused', async () => {
      const { store, put, passSeconds } = await setUp({ sessionBytes: 10 })
      await assert.rejects(put('session-1', 'x'.repeat(11)))
      passSeconds(3_600)
      assert.equal(await store.sweep(), 0)
      assert.equal(await store.cleanupSession('session-1'), 0)
    })
  })
}
