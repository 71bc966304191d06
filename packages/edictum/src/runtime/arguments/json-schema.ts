// JSON Schema through ajv. The one file that knows it.
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { compilePattern } from '../../contracts/pattern/pattern.js'

/** Undefined when the value fits. */
export type JsonSchemaCheck = (value: unknown) => readonly string[] | undefined

const options: Options = {
  allErrors: true,
  strict: false,
  // Two tools may use the same `$id`.
  addUsedSchema: false,
  // Formats are hints here; nothing is asserted that the schema's author cannot see.
  validateFormats: false,
  logger: false,
  // A schema may come from a server nobody here has written: its patterns run in bounded time or not at all.
  code: { regExp: Object.assign(linearRegExp, { code: '' }) },
}

/** Making one compiles the schema of schemas, which takes longer than any tool's own. */
const compilers: { draft7?: Ajv; draft2020?: Ajv2020 } = {}

/** @throws when the schema is not one. */
export function compileJsonSchema(schema: Readonly<Record<string, unknown>>): JsonSchemaCheck {
  const dialect = schema['$schema']
  const isNew = typeof dialect === 'string' && /\/draft\/20(?:19-09|20-12)\//.test(dialect)
  const compiler = isNew
    ? (compilers.draft2020 ??= new Ajv2020(options))
    : (compilers.draft7 ??= new Ajv(options))
  try {
    const validate: ValidateFunction = compiler.compile(schema)
    return (value) => (validate(value) ? undefined : describeErrors(validate.errors ?? []))
  } finally {
    // The compiler outlives the tool; what it compiled need not.
    compiler.removeSchema(schema)
  }
}

const mostErrors = 8

function describeErrors(errors: readonly ErrorObject[]): readonly string[] {
  return errors.slice(0, mostErrors).map(({ instancePath, message = 'is not valid', params }) => {
    const place = instancePath.slice(1).replaceAll('/', '.')
    const extra = 'additionalProperty' in params ? ` (${String(params['additionalProperty'])})` : ''
    return place === '' ? `${message}${extra}` : `${place} ${message}${extra}`
  })
}

function linearRegExp(source: string): { test(text: string): boolean } {
  const compiled = compilePattern(source)
  if (!compiled.ok) throw new Error(`pattern ${source}: ${compiled.problem.message}`)
  return compiled.pattern
}
