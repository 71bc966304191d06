/** The text of a bundle that enforces these contracts; `fields` go beside them or in their place. */
export function bundleOf(
  contracts: readonly Readonly<Record<string, unknown>>[],
  fields: Readonly<Record<string, unknown>> = {},
): string {
  return JSON.stringify({
    apiVersion: 'edictum/v1',
    kind: 'ContractBundle',
    metadata: { name: 'under-test' },
    defaults: { mode: 'enforce' },
    contracts,
    ...fields,
  })
}
