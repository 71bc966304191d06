// Any value as data that JSON can write. Nothing the value carries is called, so what is written is what was redacted:
// a `toJSON` of its own could say something else, or throw.

const deepest = 64

/** Undefined when there are more than `mostValues`, which also ends data that contains itself. */
export function toPlainData(value: unknown, mostValues: number): unknown {
  const room = { left: mostValues }
  const copy = copyValue(value, room, 0) ?? null
  return room.left < 0 ? undefined : copy
}

/** What JSON cannot say is said in words; functions and symbols are left out. */
function copyValue(value: unknown, room: { left: number }, depth: number): unknown {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (typeof value === 'bigint') return value.toString()
  if (typeof value !== 'object') return undefined
  if (depth > deepest) return '[too deep]'
  try {
    if (Array.isArray(value)) return copyItems(value, room, depth + 1)
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString()
    return copyFields(value, room, depth + 1)
  } catch {
    return '[unreadable]'
  }
}

function copyItems(items: readonly unknown[], room: { left: number }, depth: number): unknown {
  const copy: unknown[] = []
  for (let index = 0; index < items.length && --room.left >= 0; index++) {
    copy.push(copyValue(items[index], room, depth) ?? null)
  }
  return copy
}

function copyFields(fields: object, room: { left: number }, depth: number): unknown {
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(fields)) {
    if (--room.left < 0) break
    const field = copyValue((fields as Record<string, unknown>)[key], room, depth)
    if (field === undefined) continue
    if (key === '__proto__') Object.defineProperty(copy, key, { value: field, enumerable: true })
    else copy[key] = field
  }
  return copy
}
