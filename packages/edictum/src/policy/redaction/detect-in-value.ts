// Looks for secrets and personal data in anything: texts, numbers, and all of those inside lists, mappings and errors.
import type { DetectorSet } from './detectors/detector-set.js'

/** What lies deeper was not looked at, and what cannot be looked at counts as found. */
const deepest = 200

/** @throws when the data is nested too deep to be looked at. */
export function detectsInValue(value: unknown, detectors: DetectorSet): boolean {
  return visitTexts(value, (text, field) => detectors.testField(text, field))
}

/** Which detectors find something, for people. */
export function detectorsFiring(value: unknown, detectors: DetectorSet): readonly string[] {
  const names = new Set<string>()
  visitTexts(value, (text, field) => {
    for (const { detector } of detectors.findInField(text, field)) names.add(detector)
    return false
  })
  return [...names]
}

type TextTest = (text: string, field: string | undefined) => boolean

function visitTexts(value: unknown, test: TextTest): boolean {
  const seen = new Set<object>()
  const visit = (item: unknown, depth: number, field?: string): boolean => {
    if (typeof item === 'string') return test(item, field)
    if (typeof item === 'number' || typeof item === 'bigint') return test(String(item), field)
    if (typeof item !== 'object' || item === null || seen.has(item)) return false
    if (depth > deepest) throw new Error(`data nested more than ${deepest} levels deep cannot be searched`)
    seen.add(item)
    if (item instanceof Uint8Array) return test(new TextDecoder().decode(item), field)
    if (Array.isArray(item) || item instanceof Set)
      return [...item].some((one: unknown) => visit(one, depth + 1))
    if (item instanceof Map) {
      return [...item].some(
        ([key, one]: [unknown, unknown]) =>
          visit(key, depth + 1) || visit(one, depth + 1, typeof key === 'string' ? key : undefined),
      )
    }
    const names = item instanceof Error ? Object.getOwnPropertyNames(item) : Object.keys(item)
    return names.some(
      (name) => test(name, undefined) || visit((item as Record<string, unknown>)[name], depth + 1, name),
    )
  }
  return visit(value, 0)
}
