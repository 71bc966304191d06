/** One text for the same data, whatever the order of its keys; for what JSON can hold it is the form of RFC 8785. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  // What JSON cannot hold is written in a form no JSON text has.
  if (value instanceof Date) return `date(${value.getTime()})`
  if (value instanceof Uint8Array) return `bytes(${value.join()})`
  if (typeof value === 'object' && value !== null) {
    const fields = value as Readonly<Record<string, unknown>>
    const entries = Object.keys(fields)
      .toSorted()
      .map((key) => `${JSON.stringify(key)}:${canonicalJson(fields[key])}`)
    return `{${entries.join(',')}}`
  }
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  return value === undefined ? 'undefined' : JSON.stringify(value)
}
