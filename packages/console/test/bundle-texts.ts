// Bundles for tests.

export interface BundleShape {
  readonly name: string
  /** Appears in a message, so that texts differ. */
  readonly note?: string
  readonly tool?: string
  readonly mode?: 'enforce' | 'observe'
}

export function contractBundle({
  name,
  note = 'no',
  tool = 'delete_file',
  mode = 'enforce',
}: BundleShape): string {
  return `apiVersion: edictum/v1
kind: ContractBundle
metadata: { name: ${name} } # a comment that stays
defaults: { mode: ${mode} }
contracts:
  - id: no-secrets
    type: pre
    tool: ${tool}
    when: { args.path: { contains: secret } }
    then: { effect: deny, message: "${note}" }
  - id: ask-first
    type: pre
    tool: pay
    when: { args.sum: { gt: 100 } }
    then: { effect: approve, message: "ask", timeout: 60, timeout_effect: deny }
`
}

export function ruleset(name: string): string {
  return `apiVersion: edictum/v1
kind: Ruleset
metadata: { name: ${name} }
defaults: { mode: enforce }
rules:
  - { id: stop, type: pre, tool: rm, when: { args.path: { exists: true } }, then: { action: block, message: "ü no" } }
`
}
