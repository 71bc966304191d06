/**
 * The same shape with `text` in the place of every text. What tells kinds of results apart stays, since the CLI would not
 * recognise the shape without it; numbers and flags go.
 */
export function blankOut(value: unknown, text: string): unknown {
  if (typeof value === 'string') return text
  if (typeof value === 'number') return 0
  if (typeof value === 'boolean') return false
  if (Array.isArray(value)) return value.map((item) => blankOut(item, text))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, key === 'type' ? item : blankOut(item, text)]),
  )
}
