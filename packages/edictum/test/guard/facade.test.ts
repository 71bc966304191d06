import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, describe, expect, it, onTestFinished } from 'vitest'

import {
  Edictum,
  EdictumConfigError,
  EdictumDenied,
  HookDecision,
  precondition,
  sessionContract,
  Verdict,
} from '../../src/index.js'
import { actionsOf, always, guardOf, pre, session, yamlOf } from './bundles.js'

const noX = pre('no-x', { 'args.x': { exists: true } })

describe('a denial', () => {
  it('carries reason, source and name, and the tool has not run', async () => {
    let ran = 0
    const denials: unknown[] = []
    const guard = guardOf([noX], {
      onDeny: (envelope, reason, name) => denials.push([envelope.toolName, reason, name]),
    })
    const error = await guard.run('T', { x: 1 }, () => ++ran).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(EdictumDenied)
    expect(error).toMatchObject({
      name: 'EdictumDenied',
      reason: 'no-x says no',
      decisionSource: 'yaml_precondition',
      decisionName: 'no-x',
    })
    expect({ ran, denials }).toEqual({ ran: 0, denials: [['T', 'no-x says no', 'no-x']] })
  })

  it('is on record with everything needed to understand it', async () => {
    const guard = guardOf([pre('ok', { 'args.y': { exists: true } }), noX], {
      principal: { userId: 'u', role: 'agent', claims: { token: 'abc' } },
      environment: 'staging',
    })
    await guard
      .run('T', { x: 1, password: 'hunter2' }, () => 1, {
        sessionId: 'run-1',
        callId: 'call-1',
        metadata: { ticket: 7 },
      })
      .catch(() => undefined)
    expect(guard.localSink.last()).toMatchObject({
      schemaVersion: '0.3.0',
      action: 'call_denied',
      runId: 'run-1',
      sessionId: 'run-1',
      callId: 'call-1',
      toolName: 'T',
      toolArgs: { x: 1, password: '[REDACTED]' },
      sideEffect: 'irreversible',
      environment: 'staging',
      principal: { user_id: 'u', role: 'agent', service_id: null, claims: { token: '[REDACTED]' } },
      decisionSource: 'yaml_precondition',
      decisionName: 'no-x',
      reason: 'no-x says no',
      contractsEvaluated: [
        { name: 'ok', type: 'precondition', passed: true },
        { name: 'no-x', type: 'precondition', passed: false, metadata: { tags: [] } },
      ],
      sessionAttemptCount: 1,
      sessionExecutionCount: 0,
      mode: 'enforce',
      policyVersion: guard.policyVersion,
      policyError: false,
    })
  })
})

describe('hooks and contracts in code', () => {
  it('deny, in the order hooks, bundle, code', async () => {
    const order: string[] = []
    const guard = guardOf([pre('never', { 'args.never': { exists: true } })], {
      hooks: [
        {
          phase: 'before',
          tool: 'T*',
          callback: () => {
            order.push('hook')
            return HookDecision.allow()
          },
        },
      ],
      contracts: [
        precondition(
          '*',
          () => {
            order.push('code')
            return Verdict.fail('code says no', { why: 1 })
          },
          { name: 'mine' },
        ),
        sessionContract(() => {
          order.push('session')
          return Verdict.pass()
        }),
      ],
    })
    await expect(guard.run('Tool', {}, () => 1)).rejects.toMatchObject({
      reason: 'code says no',
      decisionSource: 'precondition',
      decisionName: 'mine',
    })
    expect(order).toEqual(['hook', 'code'])
    expect(guard.localSink.last().hooksEvaluated).toEqual([
      { name: 'callback', result: 'allow', reason: null },
    ])
  })

  it('take part in a dry run, where a promise is a policy error', () => {
    const guard = guardOf([], {
      contracts: [precondition('T', () => Verdict.fail('no')), precondition('U', async () => Verdict.pass())],
    })
    expect(guard.evaluate('T', {})).toMatchObject({ verdict: 'deny', denyReasons: ['no'] })
    expect(guard.evaluate('U', {})).toMatchObject({ verdict: 'deny', policyError: true })
  })

  it('are masked like everything else that is shown or stored', async () => {
    const leak = 'postgres://bob:hunter2@db/x'
    const byCode = guardOf([], { contracts: [precondition('*', () => Verdict.fail(leak, { token: 'abc' }))] })
    const byHook = guardOf([], {
      hooks: [{ phase: 'before', tool: '*', callback: () => HookDecision.deny(leak) }],
    })
    for (const guard of [byCode, byHook]) {
      const error = await guard.run('T', {}, () => 1).catch((reason: unknown) => reason as EdictumDenied)
      expect(JSON.stringify([error, guard.localSink.events])).not.toMatch(/hunter2|abc/)
      expect((error as EdictumDenied).reason).toBe('postgres://bob:[REDACTED]@db/x')
    }
  })

  it('see the counters of the session', async () => {
    const guard = guardOf([], {
      contracts: [
        sessionContract(async (counters) =>
          (await counters.consecutiveFailures()) >= 2 ? Verdict.fail('too many failures') : Verdict.pass(),
        ),
      ],
    })
    for (let call = 0; call < 2; call++) await guard.run('T', {}, () => 'Error: x').catch(() => undefined)
    await expect(guard.run('T', {}, () => 1)).rejects.toThrow('too many failures')
  })

  it('must be made by the functions for them', () => {
    expect(() => new Edictum({ contracts: [{ kind: 'other' } as never] })).toThrow(EdictumConfigError)
  })
})

describe('reload', () => {
  it('replaces the contracts at once, keeps counters, principal and operators', async () => {
    const guard = Edictum.fromYamlString(yamlOf([session('s', { max_tool_calls: 2 })]), {
      customOperators: { odd: (value) => Number(value) % 2 === 1 },
    })
    await guard.run('T', {}, () => 1)
    const before = guard.policyVersion
    await guard.reload(yamlOf([pre('odd', { 'args.n': { odd: true } }), session('s', { max_tool_calls: 2 })]))
    expect(guard.policyVersion).not.toBe(before)
    await expect(guard.run('T', { n: 3 }, () => 1)).rejects.toThrow('odd says no')
    await guard.run('T', { n: 2 }, () => 1)
    await expect(guard.run('T', { n: 2 }, () => 1)).rejects.toMatchObject({ decisionName: 's' })
  })

  it('changes nothing when the new bundle cannot be understood', async () => {
    const guard = guardOf([noX])
    const before = guard.policyVersion
    await expect(guard.reload('kind: [')).rejects.toThrow(EdictumConfigError)
    expect(guard.policyVersion).toBe(before)
    await expect(guard.run('T', { x: 1 }, () => 1)).rejects.toThrow('no-x says no')
  })

  it('lets a call under way finish under the contracts it began with', async () => {
    const guard = guardOf([], {}, { tools: { T: { side_effect: 'read' } } })
    const admission = await guard.begin({ toolName: 'T', args: {} })
    await guard.reload(
      yamlOf([{ id: 'p', type: 'post', tool: '*', when: always, then: { effect: 'deny', message: 'm' } }], {
        tools: { T: { side_effect: 'read' } },
      }),
    )
    if (admission.kind !== 'admitted') throw new Error('refused')
    expect(await admission.finish({ output: 'x' })).toMatchObject({ kind: 'executed', value: 'x' })
    expect(await guard.run('T', {}, () => 'x')).toBe('[OUTPUT SUPPRESSED] m')
  })
})

describe('principals', () => {
  const interns = pre('interns', { 'principal.role': { equals: 'intern' } })

  it('are the call’s own, else the resolver’s, else the guard’s', async () => {
    const guard = guardOf([interns], { principal: { role: 'intern' } })
    await expect(guard.run('T', {}, () => 1)).rejects.toThrow(EdictumDenied)
    expect(await guard.run('T', {}, () => 1, { principal: { role: 'lead' } })).toBe(1)
    guard.setPrincipal({ role: 'lead' })
    expect(await guard.run('T', {}, () => 1)).toBe(1)
    const resolving = guardOf([interns], {
      principal: { role: 'intern' },
      principalResolver: (tool) => (tool === 'T' ? null : { role: 'intern' }),
    })
    expect(await resolving.run('T', {}, () => 1)).toBe(1)
    await expect(resolving.run('U', {}, () => 1)).rejects.toThrow(EdictumDenied)
  })
})

describe('shadow contracts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'edictum-shadow-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const base = join(folder, 'base.yaml')
  const next = join(folder, 'next.yaml')
  writeFileSync(base, yamlOf([noX]))
  writeFileSync(
    next,
    yamlOf([
      pre('no-x', { 'args.y': { exists: true } }),
      pre('new', always),
      session('cap', { max_tool_calls: 1 }),
    ]).replace('"kind"', '"observe_alongside":true,"kind"'),
  )

  it('are recorded beside the decision and never obeyed', async () => {
    const [guard, report] = Edictum.fromYaml(base, next, { returnReport: true })
    expect(report.shadowContracts.map(({ contractId }) => contractId)).toEqual(['no-x', 'new', 'cap'])
    expect(await guard.run('T', { y: 1 }, () => 1)).toBe(1)
    expect(
      guard.localSink.events.map(({ action, decisionName, mode }) => [action, decisionName, mode]),
    ).toEqual([
      ['call_allowed', null, 'enforce'],
      ['call_would_deny', 'no-x:candidate', 'observe'],
      ['call_would_deny', 'new:candidate', 'observe'],
      ['call_allowed', 'cap:candidate', 'observe'],
      ['call_executed', null, 'enforce'],
    ])
    await guard.run('T', {}, () => 1)
    expect(guard.localSink.filter('call_would_deny').at(-1)).toMatchObject({
      decisionName: 'cap:candidate',
      decisionSource: 'yaml_session',
    })
    expect(guard.limits.maxToolCalls).toBe(200)
  })

  it('are not judged when the enforced contracts deny', async () => {
    const guard = Edictum.fromYaml(base, next)
    await guard.run('T', { x: 1 }, () => 1).catch(() => undefined)
    expect(actionsOf(guard)).toEqual(['call_denied'])
  })
})

describe('fromMultiple', () => {
  it('joins the contracts and takes everything else from the first guard', async () => {
    const first = guardOf([noX], {
      successCheck: (_, result) => result !== 'bad',
      environment: 'one',
      limits: { maxToolCalls: 9 },
    })
    const second = guardOf(
      [pre('no-y', { 'args.y': { exists: true } }), session('cap', { max_tool_calls: 3 })],
      { environment: 'two', limits: { maxToolCalls: 5 } },
    )
    const merged = Edictum.fromMultiple([first, second])
    expect(merged.environment).toBe('one')
    expect(merged.limits.maxToolCalls).toBe(3)
    expect(merged.policyVersion).toBe(first.policyVersion)
    await expect(merged.run('T', { x: 1 }, () => 1)).rejects.toThrow('no-x says no')
    await expect(merged.run('T', { y: 1 }, () => 1)).rejects.toThrow('no-y says no')
    await expect(merged.run('T', {}, () => 'bad')).rejects.toMatchObject({ name: 'EdictumToolError' })
  })

  it('keeps each contract in the mode its own bundle gave it', async () => {
    const merged = Edictum.fromMultiple([
      guardOf([noX]),
      guardOf([pre('watch', always)], {}, { mode: 'observe' }),
    ])
    expect(await merged.run('T', {}, () => 1)).toBe(1)
    expect(actionsOf(merged)).toEqual(['call_would_deny', 'call_allowed', 'call_executed'])
  })

  it('needs a guard', () => {
    expect(() => Edictum.fromMultiple([])).toThrow(EdictumConfigError)
  })
})

describe('options', () => {
  it.each([
    [{ mode: 'permissive' }],
    [{ limits: { maxToolCalls: 0 } }],
    [{ limits: { maxAttempts: 1.5 } }],
    [{ tools: { T: { sideEffect: 'harmless' } } }],
    [{ approvalBackend: {} }],
    [{ principal: { userId: 5 } }],
  ])('that make no sense are refused: %o', (options) => {
    expect(() => new Edictum(options as never)).toThrow(EdictumConfigError)
  })

  it('that name a sink without emit are refused', () => {
    expect(() => new Edictum({ auditSink: {} as never })).toThrow(TypeError)
  })

  it('classify tools over the bundle, in either spelling', async () => {
    const guard = guardOf(
      [],
      { tools: { T: { side_effect: 'pure' } } },
      { tools: { T: { side_effect: 'write' } } },
    )
    await guard.run('T', {}, () => 1)
    await guard.run('Bash', { command: 'ls -l' }, () => 1)
    await guard.run('Bash', { command: 'ls; rm x' }, () => 1)
    await guard.run('T', {}, () => 1, { sideEffect: 'irreversible' })
    expect(guard.localSink.filter('call_executed').map(({ sideEffect }) => sideEffect)).toEqual([
      'pure',
      'read',
      'irreversible',
      'irreversible',
    ])
  })

  it('of the bundle name a file to write the record to, private to its owner', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'edictum-audit-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'audit.jsonl')
    await using guard = guardOf([noX], {}, { observability: { file } })
    await guard.run('T', { x: 1 }, () => 1).catch(() => undefined)
    await guard.run('T', {}, () => 1)
    await guard.close()
    const lines = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { action: string; tool_name: string })
    expect(lines.map(({ action }) => action)).toEqual(['call_denied', 'call_allowed', 'call_executed'])
    expect(lines[0]).toMatchObject({
      tool_name: 'T',
      decision_source: 'yaml_precondition',
      contracts_evaluated: [{ name: 'no-x', passed: false }],
    })
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })
})

describe('the options of a call', () => {
  it('reach contracts and the record', async () => {
    const guard = guardOf([pre('no-bots', { 'metadata.origin': { equals: 'bot' } })], { policyVersion: 'v7' })
    const options = {
      callIndex: 3,
      parentCallId: 'p',
      caller: 'planner',
      toolUseId: 'use-1',
      environment: 'test',
    }
    const envelope = await guard.run('T', {}, (_, context) => context.envelope, options)
    expect(envelope).toMatchObject(options)
    expect(guard.localSink.last()).toMatchObject({
      callIndex: 3,
      parentCallId: 'p',
      environment: 'test',
      policyVersion: 'v7',
    })
    await expect(guard.run('T', {}, () => 1, { metadata: { origin: 'bot' } })).rejects.toThrow(
      'no-bots says no',
    )
  })
})
