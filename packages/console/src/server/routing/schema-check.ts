// The shape of requests, checked with the JSON Schemas the API document shows.
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import type { FieldFault } from '../../protocol/error.js'
import { Problem } from './problem.js'

export type Schema = Readonly<Record<string, unknown>>

const strict = new Ajv({ allErrors: false, strict: true, strictTypes: false })
/** Query parameters are text; numbers in them are read as such. */
const lenient = new Ajv({
  allErrors: false,
  strict: true,
  strictTypes: false,
  coerceTypes: true,
  useDefaults: true,
})

export type Check<Shape> = (value: unknown) => Shape

/** @returns a function that gives the value back, or throws a 422 that says where it is wrong. */
export function createCheck<Shape>(schema: Schema, place: 'body' | 'query' | 'path'): Check<Shape> {
  // Compiled when it is first needed: most of the time a server takes to start would go here.
  let validate: ValidateFunction | undefined
  return (value) => {
    validate ??= (place === 'body' ? strict : lenient).compile(schema)
    if (validate(value)) return value as Shape
    const errors = (validate.errors ?? []).map((error) => describe(error, place))
    const [{ loc, msg } = { loc: [place], msg: 'is not valid' }] = errors
    throw new Problem(422, 'invalid-request', { detail: `${loc.join('.')} ${msg}`, errors })
  }
}

function describe({ instancePath, message, params }: ErrorObject, place: string): FieldFault {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~').slice(0, 100))
  const allowed: unknown = (params as { allowedValues?: unknown }).allowedValues
  const choices = Array.isArray(allowed) ? `: ${allowed.join(', ')}` : ''
  return { loc: [place, ...path], msg: `${message ?? 'is not valid'}${choices}` }
}
