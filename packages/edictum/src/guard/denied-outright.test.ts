import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Edictum, type EdictumOptions } from '../edictum.js'
import { isDeniedOutright } from './denied-outright.js'

const guardWith = (when: string, options: EdictumOptions = {}, more = ''): Edictum =>
  Edictum.fromYamlString(
    `
apiVersion: edictum/v1
kind: ContractBundle
metadata: { name: outright }
defaults: { mode: enforce }
contracts:
  - id: denied
    type: pre
    tool: 'drop_*'
    ${more}
    when: ${when}
    then: { effect: deny, message: No. }
`,
    options,
  )

describe('a tool that is denied outright', () => {
  it('is one whose arguments make no difference', () => {
    const always = guardWith('{ tool.name: { exists: true } }')
    expect(isDeniedOutright(always, 'drop_table', {})).toBe(true)
    expect(isDeniedOutright(always, 'read_table', {})).toBe(false)
  })

  it('is not one that other arguments would let through, though it is denied without any', () => {
    const guard = guardWith('{ not: { args.table: { equals: scratch } } }')
    expect(guard.evaluate('drop_table', {}).verdict).toBe('deny')
    expect(isDeniedOutright(guard, 'drop_table', {})).toBe(false)
  })

  it('may depend on the environment', () => {
    const guard = guardWith('{ environment: { equals: production } }')
    expect(isDeniedOutright(guard, 'drop_table', {})).toBe(true)
    expect(isDeniedOutright(guard, 'drop_table', { environment: 'test' })).toBe(false)
  })

  it('may depend on the principal, where it is known', () => {
    const guard = guardWith('{ not: { principal.role: { equals: admin } } }')
    expect(isDeniedOutright(guard, 'drop_table', { principal: { role: 'guest' } })).toBe(true)
    expect(isDeniedOutright(guard, 'drop_table', { principal: { role: 'admin' } })).toBe(false)
    expect(isDeniedOutright(guard, 'drop_table', {})).toBe(false)
  })

  it('is not one that is only observed', () => {
    const always = '{ tool.name: { exists: true } }'
    expect(isDeniedOutright(guardWith(always, { mode: 'observe' }), 'drop_table', {})).toBe(false)
    expect(isDeniedOutright(guardWith(always, {}, 'mode: observe'), 'drop_table', {})).toBe(false)
  })

  it('is never let through, whatever the condition and the arguments', () => {
    const leaf = fc.constantFrom(
      '{ tool.name: { exists: true } }',
      '{ environment: { equals: test } }',
      '{ args.table: { exists: true } }',
      '{ args.table: { equals: a } }',
    )
    const condition = fc.letrec<{ node: string }>((tie) => ({
      node: fc.oneof(
        { depthSize: 'small' },
        leaf,
        tie('node').map((node) => `{ not: ${node} }`),
        fc
          .tuple(fc.constantFrom('all', 'any'), fc.array(tie('node'), { minLength: 1, maxLength: 3 }))
          .map(([kind, nodes]) => `{ ${kind}: [${nodes.join(', ')}] }`),
      ),
    })).node
    const args = fc.constantFrom({}, { table: 'a' }, { table: 'b' }, { table: null }, { other: 1 })
    fc.assert(
      fc.property(condition, args, (when, given) => {
        const guard = guardWith(when)
        fc.pre(isDeniedOutright(guard, 'drop_table', {}))
        expect(guard.evaluate('drop_table', given).verdict).toBe('deny')
      }),
    )
  })
})
