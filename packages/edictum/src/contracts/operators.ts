// The operators of the contract language and what each accepts as operand.
// The checker, the JSON Schema, the policy and the reference page all read this one table.

export const operandShapes = {
  exists: 'boolean',
  equals: 'anything',
  not_equals: 'anything',
  in: 'list',
  not_in: 'list',
  contains: 'text',
  contains_any: 'texts',
  starts_with: 'text',
  ends_with: 'text',
  matches: 'pattern',
  matches_any: 'patterns',
  detects: 'detectors',
  gt: 'number',
  gte: 'number',
  lt: 'number',
  lte: 'number',
  within: 'folders',
  not_within: 'folders',
} as const

export type OperatorName = keyof typeof operandShapes
export type OperandShape = (typeof operandShapes)[OperatorName]

export const operatorNames = Object.keys(operandShapes) as readonly OperatorName[]

export function isOperatorName(name: string): name is OperatorName {
  return Object.hasOwn(operandShapes, name)
}
