// A scripted agent works a small task under contracts: no network, no keys. Each line shows a call and what became of it.
import { fileURLToPath } from 'node:url'

import { Edictum } from 'edictum'

const guard = Edictum.fromYaml(fileURLToPath(new URL('./contracts.yaml', import.meta.url)))
const principal = { userId: 'agent-7', role: 'support' }

const script = [
  { tool: 'read_file', args: { path: 'docs/refund-policy.md' }, returns: 'Refunds up to 500 are routine.' },
  { tool: 'read_file', args: { path: 'config/.env' }, returns: 'never read' },
  {
    tool: 'lookup_customer',
    args: { id: 42 },
    returns: { name: 'Ada', national_id: '078-05-1120', note: 'id 078-05-1120 checked' },
  },
  { tool: 'refund', args: { customer: 42, amount: 900 }, returns: 'never paid' },
  { tool: 'refund', args: { customer: 42, amount: 80 }, returns: 'refunded 80' },
]

for (const { tool, args, returns } of script) {
  const before = guard.evaluate(tool, args, { principal })
  console.log(`\n${tool} ${JSON.stringify(args)}`)
  if (before.verdict === 'deny') {
    console.log(`  denied    ${before.denyReasons[0]}`)
    for (const { contractId, when } of before.explain()) {
      if (when?.outcome === 'matched') console.log(`  because   ${contractId}: ${describe(when)}`)
    }
    continue
  }
  const after = guard.evaluate(tool, args, { principal, output: returns })
  const shown = after.inspectOutput()
  if (shown?.kind === 'redacted') console.log(`  redacted  ${JSON.stringify(shown.value)}`)
  else console.log(`  allowed   ${JSON.stringify(returns)}`)
}

console.log('\nThe contracts: examples/demo/contracts.yaml. Change one, run `npm run demo` again.')

/** The leaves that matched, in words. */
function describe(condition) {
  if (condition.kind === 'leaf') {
    return `${condition.selector} ${condition.operator} ${JSON.stringify(condition.operand)}, and it was ${JSON.stringify(condition.value)}`
  }
  const inside = condition.kind === 'not' ? [condition.condition] : condition.conditions
  return inside
    .filter(({ outcome }) => outcome === 'matched')
    .map(describe)
    .join('; ')
}
