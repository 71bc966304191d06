// Whether arguments fit a tool's schema, compiled once per tool. What comes back is what will be judged and run.
import { EdictumConfigError } from '../../contracts/config-error.js'
import { messageOf } from '../../internal/message-of.js'
import { equalValues } from '../../policy/conditions/equality.js'
import { coerce } from './coerce.js'
import { compileJsonSchema } from './json-schema.js'
import { type Arguments, readArguments } from './read-arguments.js'
import {
  describeIssue,
  isStandardSchema,
  type StandardResult,
  type StandardSchema,
} from './standard-schema.js'

export type CheckedArguments =
  | { readonly kind: 'valid'; readonly args: Arguments; readonly wasCoerced: boolean }
  | { readonly kind: 'invalid'; readonly errors: readonly string[] }

export type ArgumentCheck = (args: Arguments) => CheckedArguments | Promise<CheckedArguments>

/** @throws EdictumConfigError when the schema cannot be compiled. */
export function compileArgumentCheck(
  toolName: string,
  schema: StandardSchema | Readonly<Record<string, unknown>> | undefined,
): ArgumentCheck {
  if (schema === undefined) return unchanged
  if (isStandardSchema(schema)) return standardCheck(schema)
  try {
    return jsonSchemaCheck(schema)
  } catch (error) {
    throw EdictumConfigError.of(
      'invalid-option',
      `tools.${toolName}.parameters is not a schema: ${messageOf(error)}`,
      'give a JSON Schema or a Standard Schema object',
    )
  }
}

const notAMapping = { kind: 'unreadable', why: 'the schema made no mapping of the arguments' } as const

function unchanged(args: Arguments): CheckedArguments {
  return { kind: 'valid', args, wasCoerced: false }
}

function jsonSchemaCheck(schema: Readonly<Record<string, unknown>>): ArgumentCheck {
  const findErrors = compileJsonSchema(schema)
  return (args) => {
    const errors = findErrors(args)
    if (errors === undefined) return unchanged(args)
    const coerced = coerce(args, schema)
    if (coerced === args || findErrors(coerced) !== undefined) return { kind: 'invalid', errors }
    // A text that became a mapping was not looked into before.
    const read = readArguments(coerced)
    return read.kind === 'read'
      ? { kind: 'valid', args: read.args, wasCoerced: true }
      : { kind: 'invalid', errors: [read.why] }
  }
}

function standardCheck(schema: StandardSchema): ArgumentCheck {
  const read = (args: Arguments, result: StandardResult): CheckedArguments => {
    if (result.issues !== undefined) return { kind: 'invalid', errors: result.issues.map(describeIssue) }
    const checked = typeof result.value === 'object' ? readArguments(result.value) : notAMapping
    if (checked.kind === 'unreadable') return { kind: 'invalid', errors: [checked.why] }
    const wasCoerced = !equalValues(checked.args, args)
    return { kind: 'valid', args: wasCoerced ? checked.args : args, wasCoerced }
  }
  const broken = (error: unknown): CheckedArguments => ({
    kind: 'invalid',
    errors: [`the schema could not check the arguments: ${messageOf(error)}`],
  })
  return (args) => {
    try {
      const result = schema['~standard'].validate(args)
      return result instanceof Promise
        ? result.then((settled) => read(args, settled)).catch(broken)
        : read(args, result)
    } catch (error) {
      return broken(error)
    }
  }
}
