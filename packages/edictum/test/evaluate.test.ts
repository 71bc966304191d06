import { describe, expect, it } from 'vitest'

import { Edictum, EdictumConfigError, type EdictumOptions } from '../src/index.js'

function guardOf(contracts: readonly object[], options: EdictumOptions = {}, extra: object = {}): Edictum {
  return Edictum.fromYamlString(
    JSON.stringify({
      apiVersion: 'edictum/v1',
      kind: 'ContractBundle',
      metadata: { name: 'test' },
      defaults: { mode: 'enforce' },
      contracts,
      ...extra,
    }),
    options,
  )
}

function pre(id: string, when: object, extra: object = {}): object {
  return { id, type: 'pre', tool: 'T', when, then: { effect: 'deny', message: `${id} fired` }, ...extra }
}

function post(id: string, when: object, effect = 'warn'): object {
  return { id, type: 'post', tool: 'T', when, then: { effect, message: `${id} fired` } }
}

describe('evaluate', () => {
  it('lists every matching contract, passing ones included, and says deny when one fires', () => {
    const guard = guardOf([
      pre('a', { 'args.x': { equals: 1 } }),
      pre(
        'b',
        { 'args.x': { equals: 2 } },
        { then: { effect: 'deny', message: 'no {args.x}', tags: ['t'] } },
      ),
      pre('other-tool', { 'args.x': { equals: 2 } }, { tool: 'U' }),
    ])
    expect(guard.evaluate('T', { x: 2 })).toMatchObject({
      verdict: 'deny',
      toolName: 'T',
      contracts: [
        { contractId: 'a', contractType: 'precondition', passed: true, message: null },
        {
          contractId: 'b',
          passed: false,
          message: 'no 2',
          tags: ['t'],
          effect: 'deny',
          observed: false,
          policyError: false,
        },
      ],
      denyReasons: ['no 2'],
      warnReasons: [],
      contractsEvaluated: 2,
      policyError: false,
    })
  })

  it('judges postconditions only when there is an output; an empty text is one', () => {
    const guard = guardOf([post('p', { 'output.text': { equals: '' } })])
    expect(guard.evaluate('T', {}).contractsEvaluated).toBe(0)
    expect(guard.evaluate('T', {}, { output: null }).contractsEvaluated).toBe(0)
    expect(guard.evaluate('T', {}, { output: '' })).toMatchObject({
      verdict: 'warn',
      warnReasons: ['p fired'],
    })
  })

  it('shows what the agent would see of an output', () => {
    const guard = guardOf(
      [
        post('ssn', { 'output.text': { matches: String.raw`\d{3}-\d{2}-\d{4}` } }, 'redact'),
        post('top', { 'output.text': { contains: 'TOP SECRET' } }, 'deny'),
      ],
      {},
      { tools: { T: { side_effect: 'read' } } },
    )
    const see = (output: unknown) => guard.evaluate('T', {}, { output }).inspectOutput()
    expect(see('fine')).toEqual({ kind: 'untouched' })
    expect(see({ a: ['id 078-05-1120'] })).toEqual({ kind: 'redacted', value: { a: ['id [REDACTED]'] } })
    expect(see('TOP SECRET 078-05-1120')).toEqual({
      kind: 'suppressed',
      text: '[OUTPUT SUPPRESSED] top fired',
    })
    expect(guard.evaluate('T', {}).inspectOutput()).toBeUndefined()
  })

  it('leaves the output alone in observe mode and for tools that have already acted', () => {
    const redact = [post('ssn', { 'output.text': { contains: '1' } }, 'redact')]
    const reads = { tools: { T: { side_effect: 'read' } } }
    expect(
      guardOf(redact, { mode: 'observe' }, reads).evaluate('T', {}, { output: '1' }).inspectOutput(),
    ).toEqual({ kind: 'untouched' })
    expect(guardOf(redact).evaluate('T', {}, { output: '1' }).inspectOutput()).toEqual({ kind: 'untouched' })
    expect(guardOf(redact, {}, reads).evaluate('T', {}, { output: '1' }).inspectOutput()).toEqual({
      kind: 'redacted',
      value: '[REDACTED]',
    })
  })

  it('records observed failures without counting them', () => {
    const guard = guardOf([pre('a', { 'args.x': { exists: true } }, { mode: 'observe' })])
    expect(guard.evaluate('T', { x: 1 })).toMatchObject({
      verdict: 'allow',
      contracts: [{ passed: false, observed: true }],
      denyReasons: [],
    })
  })

  it('shares and freezes the results of passing contracts', () => {
    const guard = guardOf([pre('a', { 'args.x': { equals: 1 } })])
    const first = guard.evaluate('T', { x: 0 })
    expect(guard.evaluate('T', { x: 3 }).contracts).toBe(first.contracts)
    expect(Object.isFrozen(first.contracts) && Object.isFrozen(first.contracts[0])).toBe(true)
  })

  it('skips disabled and session contracts', () => {
    const guard = guardOf([
      pre('off', { 'args.x': { exists: true } }, { enabled: false }),
      { id: 's', type: 'session', limits: { max_tool_calls: 1 }, then: { effect: 'deny', message: 'm' } },
    ])
    expect(guard.evaluate('T', { x: 1 })).toMatchObject({ verdict: 'allow', contractsEvaluated: 0 })
  })

  it('judges sandboxes of the tools they name', () => {
    const guard = guardOf([
      { id: 'box', type: 'sandbox', tools: ['T', 'U*'], within: ['/w'], message: 'outside {args.path}' },
    ])
    expect(guard.evaluate('Ux', { path: '/etc/passwd' })).toMatchObject({
      verdict: 'deny',
      denyReasons: ['outside /etc/passwd'],
      policyError: false,
      contracts: [{ contractType: 'sandbox', effect: 'deny' }],
    })
    expect(guard.evaluate('T', { path: '/w/a' }).verdict).toBe('allow')
    expect(guard.evaluate('V', { path: '/etc/passwd' }).verdict).toBe('allow')
  })

  it('accepts a principal in either spelling', () => {
    const guard = guardOf([
      pre('a', {
        all: [{ 'principal.user_id': { equals: 'u' } }, { 'principal.claims.team': { equals: 'x' } }],
      }),
    ])
    expect(guard.evaluate('T', {}, { principal: { userId: 'u', claims: { team: 'x' } } }).verdict).toBe(
      'deny',
    )
    expect(guard.evaluate('T', {}, { principal: { user_id: 'u', claims: { team: 'x' } } }).verdict).toBe(
      'deny',
    )
    expect(guard.evaluate('T', {}).verdict).toBe('allow')
  })

  it.each([
    ['', {}],
    ['a/b', {}],
    ['a\u0000', {}],
    ['T', null],
    ['T', []],
  ])('refuses the call %j %j', (tool, args) => {
    expect(() => guardOf([pre('a', { 'args.x': { exists: true } })]).evaluate(tool, args as never)).toThrow(
      EdictumConfigError,
    )
  })

  it('treats tools named like object members as any other', () => {
    const guard = guardOf([pre('a', { 'args.x': { exists: true } }, { tool: 'constructor' })])
    expect(guard.evaluate('constructor', { x: 1 }).verdict).toBe('deny')
    expect(guard.evaluate('__proto__', { x: 1 }).verdict).toBe('allow')
  })

  it('does not let a text in an argument choose the prototype', () => {
    const guard = guardOf([
      pre('a', { 'args.__proto__.x': { exists: true } }),
      pre('b', { 'args.toString': { exists: true } }),
    ])
    expect(guard.evaluate('T', JSON.parse('{"y":1}') as object as Record<string, unknown>).verdict).toBe(
      'allow',
    )
  })
})

describe('evaluateBatch', () => {
  it('judges each call by itself', () => {
    const guard = guardOf([pre('a', { 'principal.role': { equals: 'intern' } })])
    const results = guard.evaluateBatch([
      { tool: 'T', principal: { role: 'intern' } },
      { tool: 'T' },
      { tool: 'U', args: { x: 1 } },
    ])
    expect(results.map(({ verdict }) => verdict)).toEqual(['deny', 'allow', 'allow'])
  })
})

describe('custom operators and selectors', () => {
  const weekday = { customSelectors: { clock: () => ({ day: 'sunday' }) } }

  it('take part in conditions and messages', () => {
    const guard = guardOf(
      [
        pre(
          'a',
          { 'clock.day': { one_letter_off: 'sumday' } },
          { then: { effect: 'deny', message: 'not on {clock.day}' } },
        ),
      ],
      {
        ...weekday,
        customOperators: {
          one_letter_off: (value, operand) => String(value).length === String(operand).length,
        },
      },
    )
    expect(guard.evaluate('T', {}).denyReasons).toEqual(['not on sunday'])
  })

  it('are not asked about a missing value', () => {
    let asked = 0
    const guard = guardOf([pre('a', { 'args.x': { ask: 1 } })], {
      customOperators: { ask: () => ++asked > 0 },
    })
    expect(guard.evaluate('T', {}).verdict).toBe('allow')
    expect(asked).toBe(0)
  })

  it.each([
    [
      'an operator that throws',
      {
        customOperators: {
          ask: () => {
            throw new Error('broken')
          },
        },
      },
      { 'args.x': { ask: 1 } },
    ],
    [
      'an operator that returns a promise',
      { customOperators: { ask: async () => false } },
      { 'args.x': { ask: 1 } },
    ],
    [
      'a selector that throws',
      {
        customSelectors: {
          own: () => {
            throw new Error('broken')
          },
        },
      },
      { 'own.x': { equals: 1 } },
    ],
    [
      'a selector that returns a promise',
      { customSelectors: { own: async () => ({}) } },
      { 'own.x': { equals: 1 } },
    ],
  ])('fail closed: %s', (_, options, when) => {
    const result = guardOf([pre('a', when)], options as EdictumOptions).evaluate('T', { x: 1 })
    expect(result).toMatchObject({ verdict: 'deny', policyError: true })
  })

  it.each([
    [{ customOperators: { equals: () => true, contains: () => true } }, 'contains, equals'],
    [{ customSelectors: { args: () => ({}) } }, 'args'],
    [{ customOperators: { mine: 3 } }, 'mine'],
    [{ customSelectors: { mine: 'x' } }, 'mine'],
  ])('are checked before anything is loaded: %o', (options, named) => {
    expect(() => Edictum.fromYamlString('not even yaml: [', options as never)).toThrow(named)
  })
})

describe('explain', () => {
  it('says for every leaf what it looked at, what it saw and whether it was reached', () => {
    const guard = guardOf([
      pre('a', {
        all: [
          { any: [{ 'args.amount': { gt: 100 } }, { 'args.force': { equals: true } }] },
          { not: { 'principal.role': { in: ['lead'] } } },
        ],
      }),
    ])
    expect(guard.evaluate('T', { amount: 500 }, { principal: { role: 'intern' } }).explain()).toEqual([
      {
        contractId: 'a',
        contractType: 'precondition',
        outcome: 'matched',
        when: {
          kind: 'all',
          outcome: 'matched',
          conditions: [
            {
              kind: 'any',
              outcome: 'matched',
              conditions: [
                {
                  kind: 'leaf',
                  outcome: 'matched',
                  selector: 'args.amount',
                  operator: 'gt',
                  operand: 100,
                  value: 500,
                },
                {
                  kind: 'leaf',
                  outcome: 'not-reached',
                  selector: 'args.force',
                  operator: 'equals',
                  operand: true,
                },
              ],
            },
            {
              kind: 'not',
              outcome: 'matched',
              condition: {
                kind: 'leaf',
                outcome: 'not-matched',
                selector: 'principal.role',
                operator: 'in',
                operand: ['lead'],
                value: 'intern',
              },
            },
          ],
        },
      },
    ])
  })

  it('masks secrets it shows and says why something could not be decided', () => {
    const guard = guardOf([pre('a', { 'args.password': { equals: 'x' } }), pre('b', { 'args.n': { gt: 1 } })])
    const [a, b] = guard.evaluate('T', { password: 'hunter2', n: 'many' }).explain()
    expect(a?.when).toMatchObject({ outcome: 'not-matched', value: '[REDACTED]' })
    expect(b).toMatchObject({
      outcome: 'policy-error',
      when: { outcome: 'policy-error', value: 'many', detail: '`gt` needs a number' },
    })
  })
})

describe('fromYaml', () => {
  it('needs a path', () => {
    expect(() => (Edictum.fromYaml as () => unknown)()).toThrow('fromYaml needs at least one path')
  })
})

describe('fromTemplate', () => {
  it.each(['nope', '../../package', 'file-agent.cases', ''])(
    'refuses %j and names the templates there are',
    (name) => {
      expect(() => Edictum.fromTemplate(name)).toThrow(
        'coding-assistant-base, devops-agent, file-agent, nanobot-agent, research-agent',
      )
    },
  )
})
