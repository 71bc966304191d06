// The JSON Schema for editors and the checker must agree: the schema never refuses what the checker accepts, and what
// it lets through although the checker refuses is exactly what a schema cannot express.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import { Ajv } from 'ajv'
import fc from 'fast-check'
import { load } from 'js-yaml'
import { describe, expect, it } from 'vitest'

import { buildBundleSchema } from '../src/contracts/schema.js'
import { type EdictumConfigError, loadBundleString } from '../src/index.js'
import { bundle as anyBundle } from './generators.js'

const validate = new Ajv({ strict: false, allErrors: false }).compile(buildBundleSchema())

/** What only the checker can know. */
const beyondASchema = new Set([
  'duplicate-contract-id',
  'expression-too-deep',
  'invalid-pattern',
  'unsupported-pattern',
  'selector-not-available',
  'unknown-operator',
  // Lengths of ids and names in characters, and whole numbers beyond what is exact.
  'invalid-value',
])

function checkerCodes(bundle: unknown): readonly string[] {
  try {
    loadBundleString(JSON.stringify(bundle))
    return []
  } catch (error) {
    return (error as EdictumConfigError).diagnostics.map(({ code }) => code)
  }
}

function expectAgreement(bundle: unknown): void {
  const codes = checkerCodes(bundle)
  if (validate(bundle)) expect(codes.filter((code) => !beyondASchema.has(code))).toEqual([])
  else expect(codes, `schema refuses: ${JSON.stringify(validate.errors?.[0])}`).not.toEqual([])
}

const folders = ['../../../conformance', '../../../../shared/conformance/fixtures'].map((folder) =>
  fileURLToPath(new URL(folder, import.meta.url)),
)

interface CaseFile {
  readonly base?: string
  readonly cases?: readonly Case[]
  readonly fixtures?: readonly Case[]
}

interface Case {
  readonly yaml?: unknown
  readonly replace?: readonly (readonly [unknown, unknown])[]
}

/** Every bundle of a case file: written out, given as text, or made from the file's base text. */
function* bundlesOf({ base = '', cases, fixtures }: CaseFile): Iterable<unknown> {
  for (const item of cases ?? fixtures ?? []) {
    const text =
      item.yaml ?? item.replace?.reduce((document, [find, by]) => replaceText(document, find, by), base)
    if (typeof text === 'string') yield* parsed(text)
    else yield* bundlesIn(item)
  }
}

/** Cases in the long-text notation are about lengths, which the checker's own tests cover. */
function replaceText(document: string, find: unknown, by: unknown): string {
  return typeof find === 'string' && typeof by === 'string' ? document.replace(find, () => by) : document
}

function* parsed(text: string): Iterable<unknown> {
  try {
    const bundle: unknown = load(text)
    // What only YAML can hold, such as dates or tags, has no meaning to a JSON Schema.
    if (typeof bundle === 'object' && bundle !== null && !text.includes('!!'))
      yield JSON.parse(JSON.stringify(bundle))
  } catch {
    // Not YAML: nothing for a schema to say.
  }
}

function* bundlesIn(value: unknown): Iterable<unknown> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value) && 'kind' in value && ('contracts' in value || 'rules' in value)) yield value
  else for (const child of Object.values(value)) yield* bundlesIn(child)
}

describe('the JSON Schema', () => {
  it('is written beside the package as it is built', () => {
    const written: unknown = JSON.parse(
      readFileSync(fileURLToPath(new URL('../schema.json', import.meta.url)), 'utf8'),
    )
    expect(written).toEqual(buildBundleSchema())
  })

  for (const folder of folders.filter(existsSync)) {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.yaml'),
    )
    it(`agrees with the checker on every case of ${files.length} files`, () => {
      let bundles = 0
      for (const file of files) {
        const content = load(readFileSync(`${folder}/${file}`, 'utf8')) as CaseFile
        for (const bundle of bundlesOf(content)) {
          expectAgreement(bundle)
          bundles++
        }
      }
      expect(bundles).toBeGreaterThan(50)
    })
  }

  it('accepts every generated bundle the checker accepts', () => {
    fc.assert(
      fc.property(anyBundle, (bundle) => {
        expectAgreement(bundle)
      }),
      { numRuns: 300 },
    )
  })

  it('agrees on bundles with one thing changed', () => {
    const changes = fc.record({
      at: fc.nat(),
      to: fc.constantFrom(null, 0, 1, 1.5, '', 'x', true, [], {}, ['x'], { x: 1 }),
    })
    fc.assert(
      fc.property(anyBundle, changes, (bundle, { at, to }) => {
        const copy = structuredClone(bundle) as object
        const places = placesIn(copy)
        const place = places[at % places.length]
        if (place !== undefined) place.holder[place.key] = to
        expectAgreement(copy)
      }),
      { numRuns: 1_000 },
    )
  })
})

function placesIn(value: object): { readonly holder: Record<string, unknown>; readonly key: string }[] {
  return Object.entries(value).flatMap(([key, child]: [string, unknown]) => [
    { holder: value as Record<string, unknown>, key },
    ...(typeof child === 'object' && child !== null ? placesIn(child) : []),
  ])
}
