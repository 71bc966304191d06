declare const redactedBrand: unique symbol

/** A value with its secrets masked. Whatever outlives a call (artifacts, summaries, records) accepts nothing else. */
export type Redacted<T> = T & { readonly [redactedBrand]: true }

/** Vouches that the value has been through redaction. Only the step that masks outputs may say so. */
export function markRedacted<T>(value: T): Redacted<T> {
  return value as Redacted<T>
}
