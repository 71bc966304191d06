import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MemoryArtifactStore } from '../../drivers/artifact/memory.js'
import { Edictum } from '../../edictum.js'
import { markRedacted } from '../redacted.js'
import { type ArtifactMatches, type ArtifactPage } from './artifact-pages.js'
import { createArtifactReader } from './artifact-reader.js'

const longestMessage = 12_000

async function openReader(text: string, now?: () => number) {
  const store = new MemoryArtifactStore(now ? { now } : {})
  const { artifactId } = await store.store({
    sessionId: 'session-1',
    toolName: 'fetch',
    text: markRedacted(text),
  })
  const reader = createArtifactReader(store)
  const context = { sessionId: 'session-1' }
  const path = `artifact://${artifactId}`
  const run = async (args: Readonly<Record<string, unknown>> = {}) => {
    const answer = await reader.execute({ path, ...args }, context)
    expect(JSON.stringify(answer).length).toBeLessThanOrEqual(longestMessage)
    return answer
  }
  return {
    store,
    reader,
    context,
    path,
    readPage: async (args?: Readonly<Record<string, unknown>>) => (await run(args)) as ArtifactPage,
    search: async (args: Readonly<Record<string, unknown>>) => (await run(args)) as ArtifactMatches,
  }
}

/** Half a character does not survive this. */
const throughUtf8 = (text: string) => Buffer.from(text).toString()

/** Everything from the first page to the last, and how many there were. */
async function readToTheEnd(text: string, args: Readonly<Record<string, unknown>> = {}) {
  const { readPage } = await openReader(text)
  let read = ''
  let offset: number | null = 0
  let pages = 0
  while (offset !== null) {
    const page: ArtifactPage = await readPage({ ...args, offset })
    expect(page).toMatchObject({ offset, total: text.length })
    expect(throughUtf8(page.text)).toBe(page.text)
    expect(page.next_offset ?? text.length).toBe(offset + page.text.length)
    if (page.next_offset !== null) expect(page.next_offset).toBeGreaterThan(offset)
    read += page.text
    offset = page.next_offset
    pages += 1
  }
  return { read, pages }
}

describe('the artifact reader', () => {
  it('is a tool that reads and may be repeated', async () => {
    const { reader } = await openReader('text')
    expect(reader).toMatchObject({ name: 'read_file', sideEffect: 'read', idempotent: true })
    expect(reader.parameters).toMatchObject({
      type: 'object',
      required: ['path'],
      additionalProperties: false,
    })
  })

  it('answers a short text with one page', async () => {
    const { readPage } = await openReader('all there is')
    expect(await readPage()).toEqual({ text: 'all there is', offset: 0, next_offset: null, total: 12 })
  })

  it('answers an empty text with an empty page', async () => {
    const { readPage } = await openReader('')
    expect(await readPage()).toEqual({ text: '', offset: 0, next_offset: null, total: 0 })
  })

  it('reads 100 kB to the end in pages of 8,000 characters', async () => {
    const text = Array.from({ length: 1_000 }, (_, line) => `${String(line).padStart(99, '.')}\n`).join('')
    expect(await readToTheEnd(text)).toEqual({ read: text, pages: 13 })
  })

  it.each([
    ['control characters, which JSON makes six times as long', '\u0001'],
    ['quotes and backslashes', '"\\'],
    ['emoji', '🦊👩‍👩‍👧'],
    ['one line of JSON in JSON', JSON.stringify(JSON.stringify({ a: ['"', '\n'] }))],
  ])('reads 100 kB of %s to the end', async (_, unit) => {
    const text = unit.repeat(Math.ceil(100_000 / unit.length))
    expect((await readToTheEnd(text)).read).toBe(text)
  })

  it('puts together again whatever it has taken apart', async () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.string({ unit: 'grapheme', maxLength: 200 }),
      fc.constantFrom('🦊', '\u0000', '"', '\\', '\n', '\u2028', 'é'),
    )
    const text = fc
      .array(fc.tuple(piece, fc.integer({ min: 1, max: 2_000 })), { maxLength: 6 })
      .map((pieces) =>
        pieces
          .map(([one, times]) => one.repeat(times))
          .join('')
          .slice(0, 200_000),
      )
      .map(throughUtf8)
    const args = fc.record({ limit: fc.integer({ min: 1_000, max: 20_000 }) }, { requiredKeys: [] })
    await fc.assert(
      fc.asyncProperty(text, args, async (given, chosen) => {
        expect((await readToTheEnd(given, chosen)).read).toBe(given)
      }),
      { numRuns: 60 },
    )
  })

  it('gets on even when a page holds less than one character', async () => {
    expect(await readToTheEnd('🦊a🦊', { limit: 1 })).toEqual({ read: '🦊a🦊', pages: 3 })
  })

  it('starts at the character an offset falls into', async () => {
    const { readPage } = await openReader('a🦊b')
    expect(await readPage({ offset: 2 })).toMatchObject({ text: '🦊b', offset: 1 })
  })

  it('has nothing to show behind the end', async () => {
    const { readPage } = await openReader('abc')
    expect(await readPage({ offset: 99 })).toEqual({ text: '', offset: 3, next_offset: null, total: 3 })
  })

  it('shows the first lines and where the text goes on', async () => {
    const { readPage } = await openReader('one\ntwo\nthree\n')
    expect(await readPage({ head: 2 })).toEqual({ text: 'one\ntwo\n', offset: 0, next_offset: 8, total: 14 })
    expect(await readPage({ head: 9 })).toMatchObject({ text: 'one\ntwo\nthree\n', next_offset: null })
  })

  it.each([
    ['one\ntwo\nthree\n', 'two\nthree\n'],
    ['one\ntwo\nthree', 'two\nthree'],
    ['one\n\n', 'one\n\n'],
    ['\n', '\n'],
    ['one', 'one'],
    ['', ''],
  ])('shows the last two lines of %j', async (text, tail) => {
    const { readPage } = await openReader(text)
    expect(await readPage({ tail: 2 })).toMatchObject({ text: tail, offset: text.length - tail.length })
  })

  it('shows of long last lines what fits, and where to go on', async () => {
    const { readPage } = await openReader(`first\n${'x'.repeat(20_000)}`)
    const page = await readPage({ tail: 1 })
    expect(page).toMatchObject({ text: 'x'.repeat(8_000), offset: 6, next_offset: 8_006 })
  })

  it('shows no more than the limit', async () => {
    const { readPage } = await openReader('one\ntwo\nthree\n')
    expect(await readPage({ head: 2, limit: 5 })).toMatchObject({ text: 'one\nt', next_offset: 5 })
    expect(await readPage({ tail: 2, limit: 5 })).toMatchObject({ text: 'two\nt', next_offset: 9 })
    expect(await readPage({ limit: 5 })).toMatchObject({ text: 'one\nt', next_offset: 5 })
  })

  it('is not locked out by a sandbox that keeps reading within a folder', async () => {
    const { path } = await openReader('text')
    const guard = Edictum.fromYamlString(`
apiVersion: edictum/v1
kind: ContractBundle
metadata: { name: files }
defaults: { mode: enforce }
contracts:
  - { id: workspace, type: sandbox, tools: [read_file], within: [/workspace], message: 'Outside.' }
`)
    expect(guard.evaluate('read_file', { path }).verdict).toBe('allow')
    expect(guard.evaluate('read_file', { path: '/etc/passwd' }).verdict).toBe('deny')
    expect(guard.evaluate('read_file', { path: `${path}/../../etc/passwd` }).verdict).toBe('deny')
  })

  describe('searching', () => {
    it('lists the lines with the text, their numbers and places', async () => {
      const { search } = await openReader('alpha\nbeta beta\n\ngamma\nalphabet')
      expect(await search({ grep: 'bet' })).toEqual({
        matches: [
          { line: 2, offset: 6, text: 'beta beta' },
          { line: 5, offset: 28, text: 'alphabet' },
        ],
        next_offset: null,
        total: 31,
      })
    })

    it('takes the text as it is written, not as a pattern', async () => {
      const { search } = await openReader('a+b\naab\nA+B')
      expect(await search({ grep: 'a+b' })).toMatchObject({ matches: [{ line: 1 }] })
    })

    it('shows the surroundings of a match in one endless line', async () => {
      const { search, readPage } = await openReader(`${'🦊'.repeat(5_000)}needle${'🦊'.repeat(5_000)}`)
      const { matches } = await search({ grep: 'needle' })
      expect(matches).toEqual([
        { line: 1, offset: 10_000, text: `${'🦊'.repeat(100)}needle${'🦊'.repeat(100)}` },
      ])
      expect(await readPage({ offset: 10_000, limit: 6 })).toMatchObject({ text: 'needle' })
    })

    it('finds every match over as many answers as it takes', async () => {
      const line = fc.constantFrom('x', 'needle', '"needle"', '🦊needle', '\u0001'.repeat(300), '')
      await fc.assert(
        fc.asyncProperty(fc.array(line, { maxLength: 300 }), fc.nat({ max: 5 }), async (lines, copies) => {
          const all = Array.from({ length: copies + 1 }, () => lines).flat()
          const { search } = await openReader(all.join('\n'))
          const found: number[] = []
          let offset: number | null = 0
          while (offset !== null) {
            const answer: ArtifactMatches = await search({ grep: 'needle', offset })
            found.push(...answer.matches.map((match) => match.line))
            offset = answer.next_offset
          }
          expect(found).toEqual(all.flatMap((text, index) => (text.includes('needle') ? [index + 1] : [])))
        }),
        { numRuns: 60 },
      )
    })

    it('takes no longer for a text made to be slow', async () => {
      const { search } = await openReader('a'.repeat(4_000_000))
      const measure = async (needle: string) => {
        const start = performance.now()
        await search({ grep: needle })
        return performance.now() - start
      }
      const best = async (needle: string) => {
        const times = []
        for (let round = 0; round < 3; round++) times.push(await measure(needle))
        return Math.min(...times)
      }
      // A quadratic search would take two hundred times as long.
      const plain = await best('b')
      expect(await best(`b${'a'.repeat(199)}`)).toBeLessThan(50 * Math.max(plain, 1))
      expect(await best(`${'a'.repeat(100)}b${'a'.repeat(99)}`)).toBeLessThan(50 * Math.max(plain, 1))
    })
  })

  it('says the same of an artifact that never was, has expired or is not yours', async () => {
    let now = 0
    const { reader, context, path } = await openReader('text', () => now)
    const refusal = { code: 'not-found', message: 'there is no such artifact; it may have expired' }
    const unknown = `artifact://art_${'0'.repeat(32)}`
    await expect(reader.execute({ path: unknown }, context)).rejects.toMatchObject(refusal)
    await expect(reader.execute({ path }, { sessionId: 'session-2' })).rejects.toMatchObject(refusal)
    now = 3_600_000
    await expect(reader.execute({ path }, context)).rejects.toMatchObject(refusal)
  })

  it.each([
    [{ path: '/etc/passwd' }, '`path` must be artifact:// followed by the id of an artifact'],
    [{ path: 'artifact://' }, '`path` must be artifact:// followed by the id of an artifact'],
    [{ path: undefined }, '`path` must be artifact:// followed by the id of an artifact'],
    [{ offset: -1 }, '`offset` must be a whole number of at least 0'],
    [{ offset: '5' }, '`offset` must be a whole number of at least 0'],
    [{ limit: 0 }, '`limit` must be a whole number of at least 1'],
    [{ head: 1.5 }, '`head` must be a whole number of at least 1'],
    [{ tail: null }, '`tail` must be a whole number of at least 1'],
    [{ grep: '' }, '`grep` must be text of 1 to 200 characters'],
    [{ grep: 'x'.repeat(201) }, '`grep` must be text of 1 to 200 characters'],
    [{ grep: 'a\nb' }, '`grep` looks for text within one line'],
    [{ head: 1, tail: 1 }, 'only one of `head`, `tail` and `grep` can be used at a time'],
    [{ tail: 1, grep: 'x' }, 'only one of `head`, `tail` and `grep` can be used at a time'],
    [{ head: 1, offset: 1 }, '`offset` cannot be used with `head` or `tail`'],
    [{ grep: 'x', limit: 1 }, '`limit` cannot be used with `grep`'],
    [{ encoding: 'utf8' }, 'there is no argument `encoding`'],
  ])('refuses %j', async (args, message) => {
    const { reader, context, path } = await openReader('text')
    await expect(reader.execute({ path, ...args }, context)).rejects.toMatchObject({
      code: 'invalid-request',
      message,
    })
  })
})
