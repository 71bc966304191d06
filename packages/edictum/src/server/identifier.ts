import { EdictumConfigError } from '../contracts/config-error.js'

const identifier = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/

/** Names that become parts of addresses, headers and file names. */
export function isIdentifier(value: unknown): value is string {
  return typeof value === 'string' && identifier.test(value)
}

export function checkIdentifier(option: string, value: string): string {
  if (isIdentifier(value)) return value
  throw EdictumConfigError.of(
    'invalid-option',
    `${option} is not an identifier`,
    'use 1 to 128 letters, digits, dots, dashes and underscores, the first of them a letter or a digit',
  )
}
