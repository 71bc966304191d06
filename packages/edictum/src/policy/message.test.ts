import { describe, expect, it } from 'vitest'

import { Edictum } from '../edictum.js'

function messageFor(template: string, args: Readonly<Record<string, unknown>>): string | null | undefined {
  const guard = Edictum.fromYamlString(
    JSON.stringify({
      apiVersion: 'edictum/v1',
      kind: 'ContractBundle',
      metadata: { name: 'test' },
      defaults: { mode: 'enforce' },
      contracts: [
        {
          id: 'c',
          type: 'pre',
          tool: '*',
          when: { 'tool.name': { exists: true } },
          then: { effect: 'deny', message: template },
        },
      ],
    }),
    {
      customSelectors: {
        broken: () => {
          throw new Error('no')
        },
      },
    },
  )
  return guard.evaluate('T', args).contracts[0]?.message
}

describe('compileMessage', () => {
  it.each([
    ['m {args.x}', { x: 'a' }, 'm a'],
    ['m {args.nope}', {}, 'm {args.nope}'],
    ['m {args.x}', { x: null }, 'm {args.x}'],
    ['m {env.EDICTUM_UNSET_VARIABLE}', {}, 'm {env.EDICTUM_UNSET_VARIABLE}'],
    ['m {args.x}', { x: { a: [1, true, null] } }, 'm {"a":[1,true,null]}'],
    ['m {args.x}', { x: 0 }, 'm 0'],
    ['m {args.x}', { x: false }, 'm false'],
    ['m {args.x}', { x: `sk-${'a'.repeat(20)}` }, 'm [REDACTED]'],
    ['m {args.password}', { password: 'hunter2' }, 'm [REDACTED]'],
    ['m {args.x}', { x: { password: 'hunter2' } }, 'm {"password":"[REDACTED]"}'],
    ['m {args.x} {args.y}', { x: '$&', y: '{args.x}' }, 'm $& {args.x}'],
    ['{tool.name} {', {}, 'T {'],
    ['{}', {}, '{}'],
    ['m {broken.x}', {}, 'm {broken.x}'],
  ])('expands %j with %j to %j', (template, args, expected) => {
    expect(messageFor(template, args)).toBe(expected)
  })

  it('cuts a long value to 200 characters and a long message to 500', () => {
    expect(messageFor('m {args.x}', { x: 'a'.repeat(300) })).toBe(`m ${'a'.repeat(197)}...`)
    const message = messageFor('{args.x}{args.x}{args.x}', { x: 'a'.repeat(200) })
    expect(message).toHaveLength(500)
    expect(message?.endsWith('...')).toBe(true)
  })
})
