// Tool classes given in code; they win over the bundle's, name by name.
import type { SideEffect, ToolDescriptor } from '../contracts/bundle.js'
import { EdictumConfigError } from '../contracts/config-error.js'

export type ToolOptions = Readonly<
  Record<
    string,
    { readonly sideEffect?: SideEffect; readonly side_effect?: SideEffect; readonly idempotent?: boolean }
  >
>

const sideEffects = new Set<unknown>(['pure', 'read', 'write', 'irreversible'])

/** @throws EdictumConfigError for a class that does not exist. */
export function readToolOptions(given: ToolOptions = {}): ReadonlyMap<string, ToolDescriptor> {
  return new Map(
    Object.entries(given).map(([name, tool]) => {
      const sideEffect = tool.sideEffect ?? tool.side_effect ?? 'irreversible'
      if (!sideEffects.has(sideEffect)) {
        throw EdictumConfigError.of(
          'invalid-option',
          `tools.${name}.sideEffect cannot be ${String(sideEffect)}`,
        )
      }
      return [name, { sideEffect, idempotent: tool.idempotent ?? false }]
    }),
  )
}
