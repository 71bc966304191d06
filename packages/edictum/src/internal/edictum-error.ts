const marker = Symbol.for('edictum.error')

/** Base of every error this package throws. Recognised by a shared marker, so two copies of the package agree. */
export abstract class EdictumError extends Error {
  readonly [marker] = true

  /** Whether the value is an error thrown by any copy of this package. */
  static isInstance(value: unknown): value is EdictumError {
    return typeof value === 'object' && value !== null && marker in value
  }
}
