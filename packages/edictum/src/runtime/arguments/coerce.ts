// Fits values to a schema where nothing is lost by it: a model that writes "42" for 42 need not be asked again. Whatever
// comes out is validated, so a wrong guess is a refusal, never a call with other arguments than the model meant.

type Schema = Readonly<Record<string, unknown>>

const deepest = 32
const longestJsonText = 100_000
const decimal = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/

/** The same value when there was nothing to change. */
export function coerce(value: unknown, schema: unknown): unknown {
  return fit(value, schema, 0)
}

function fit(value: unknown, given: unknown, depth: number): unknown {
  const schema = theOneAlternative(given)
  if (schema === undefined || depth > deepest) return value
  const types = typesOf(schema)
  const fitted = types.length === 0 || types.includes(typeOf(value)) ? value : convert(value, types)
  if (Array.isArray(fitted)) return fitItems(fitted, schema, depth)
  if (typeof fitted === 'object' && fitted !== null) return fitFields(fitted as Schema, schema, depth)
  // A single value where a list is wanted has been put into one above; its items are fitted there.
  return fitted
}

function fitItems(items: readonly unknown[], { items: schema }: Schema, depth: number): unknown {
  const fitted = items.map((item) => fit(item, schema, depth + 1))
  return fitted.some((item, index) => item !== items[index]) ? fitted : items
}

function fitFields(fields: Schema, schema: Schema, depth: number): unknown {
  const properties = asSchema(schema['properties'])
  if (properties === undefined) return fields
  const required = Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : []
  let isChanged = false
  const copy: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(fields)) {
    const property: unknown = Object.hasOwn(properties, key) ? properties[key] : undefined
    // Models say null for "not given".
    if (value === null && property !== undefined && !required.includes(key) && !allowsNull(property)) {
      isChanged = true
      continue
    }
    copy[key] = fit(value, property, depth + 1)
    isChanged ||= copy[key] !== value
  }
  return isChanged ? copy : fields
}

/** Tries the wanted types in the schema's order; unchanged when none can be reached without loss. */
function convert(value: unknown, types: readonly string[]): unknown {
  for (const type of types) {
    const converted = convertTo(type, value)
    if (converted !== undefined) return converted
  }
  return value
}

function convertTo(type: string, value: unknown): unknown {
  switch (type) {
    case 'integer':
    case 'number':
      return typeof value === 'string' ? numberOf(value, type) : undefined
    case 'boolean':
      return value === 'true' ? true : value === 'false' ? false : undefined
    case 'string':
      return typeof value === 'number' ? String(value) : undefined
    case 'array':
      return parseAs('array', value) ?? (isScalar(value) ? [value] : undefined)
    case 'object':
      return parseAs('object', value)
    default:
      return undefined
  }
}

/** Only a text that is exactly how this number is written: "1.50", "1e3" and "0x10" say more than a number keeps. */
function numberOf(text: string, type: 'integer' | 'number'): number | undefined {
  if (!decimal.test(text)) return undefined
  const number = Number(text)
  if (String(number) !== text || (type === 'integer' && !Number.isSafeInteger(number))) return undefined
  return number
}

function parseAs(type: 'array' | 'object', value: unknown): unknown {
  if (typeof value !== 'string' || value.length > longestJsonText) return undefined
  if (!value.trimStart().startsWith(type === 'array' ? '[' : '{')) return undefined
  try {
    const parsed: unknown = JSON.parse(value)
    return typeOf(parsed) === type ? parsed : undefined
  } catch {
    return undefined
  }
}

/** Of alternatives, one beside null is clear enough; among several nothing is guessed. */
function theOneAlternative(given: unknown): Schema | undefined {
  const schema = asSchema(given)
  const alternatives = schema?.['anyOf'] ?? schema?.['oneOf']
  if (!Array.isArray(alternatives)) return schema
  const others = alternatives.filter((alternative) => asSchema(alternative)?.['type'] !== 'null')
  return others.length === 1 ? asSchema(others[0]) : undefined
}

function allowsNull(given: unknown): boolean {
  const schema = asSchema(given)
  if (schema === undefined) return true
  const alternatives = schema['anyOf'] ?? schema['oneOf']
  if (Array.isArray(alternatives)) return alternatives.some(allowsNull)
  const types = typesOf(schema)
  return types.length === 0 || types.includes('null')
}

function typesOf(schema: Schema): readonly string[] {
  const { type } = schema as { readonly type?: unknown }
  if (typeof type === 'string') return type === 'number' ? ['number', 'integer'] : [type]
  return Array.isArray(type) ? type.filter((name) => typeof name === 'string') : []
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value
}

function isScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

function asSchema(value: unknown): Schema | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Schema) : undefined
}
