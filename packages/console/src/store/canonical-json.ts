// One text for one content, whatever the order of fields it came in (RFC 8785).
import canonicalize from 'canonicalize'

/**
 * @param value plain data, as JSON.parse gives it
 * @throws RangeError for data nested too deep to be walked
 */
export function canonicalJson(value: unknown): string {
  const sorted = sortFields(value)
  // The platform writes numbers and texts as the standard wants them, so sorted fields are enough, and twice as fast;
  // only for names it would put elsewhere the library has to write field by field.
  return (sorted === awkward ? canonicalize(value) : JSON.stringify(sorted)) ?? 'null'
}

const awkward = Symbol('awkward')

function sortFields(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return sortItems(value)
  const fields = value as Readonly<Record<string, unknown>>
  const sorted: Record<string, unknown> = {}
  for (const name of Object.keys(fields).sort()) {
    const first = name.charCodeAt(0)
    // Names that are numbers come first in any object, and this one is no field at all.
    if ((first >= 48 && first <= 57) || name === '__proto__') return awkward
    const field = sortFields(fields[name])
    if (field === awkward) return awkward
    sorted[name] = field
  }
  return sorted
}

function sortItems(items: readonly unknown[]): unknown {
  const sorted: unknown[] = []
  for (const item of items) {
    const copy = sortFields(item)
    if (copy === awkward) return awkward
    sorted.push(copy)
  }
  return sorted
}
