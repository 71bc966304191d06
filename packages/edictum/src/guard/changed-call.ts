// A call with another value at the place a selector names.
import type { EvaluateCall } from './call-judge.js'
import type { LeafValue } from './leaf-value.js'

type Fields = Readonly<Record<string, unknown>>

/** Undefined when the selector names something that is not in the call. */
export function withValue(call: EvaluateCall, selector: string, to: LeafValue): EvaluateCall | undefined {
  if (selector === 'environment')
    return to.kind === 'value' && typeof to.value === 'string'
      ? { ...call, environment: to.value }
      : undefined
  if (selector === 'output.text') return to.kind === 'value' ? { ...call, output: to.value } : undefined
  const [root = '', ...steps] = selector.split('.')
  if (steps.length === 0) return undefined
  switch (root) {
    case 'args':
      return { ...call, args: put(call.args, steps, to) }
    case 'metadata':
      return { ...call, metadata: put(call.metadata, steps, to) }
    case 'principal':
      // Only claims may hold anything; the other fields are text.
      if (steps[0] !== 'claims' && to.kind === 'value' && typeof to.value !== 'string') return undefined
      return { ...call, principal: put(call.principal as Fields | undefined, steps, to) }
    default:
      return undefined
  }
}

function put(
  fields: Fields | null | undefined,
  [step = '', ...deeper]: readonly string[],
  to: LeafValue,
): Fields {
  const rest = Object.fromEntries(Object.entries(fields ?? {}).filter(([key]) => key !== step))
  if (deeper.length > 0) {
    const inner = fields?.[step]
    const isFields = typeof inner === 'object' && inner !== null && !Array.isArray(inner)
    return { ...rest, [step]: put(isFields ? (inner as Fields) : {}, deeper, to) }
  }
  return to.kind === 'absent' ? rest : { ...rest, [step]: to.value }
}
