// What becomes of what a tool returns: judged, inspected, masked, and never louder than the contracts allow.
import { describe, expect, it } from 'vitest'

import {
  defaultSuccessCheck,
  type EdictumToolError,
  postcondition,
  RedactionPolicy,
  Verdict,
} from '../../src/index.js'
import { guardOf, post } from './bundles.js'

const ssn = { 'output.text': { matches: String.raw`\d{3}-\d{2}-\d{4}` } }
const reads = { tools: { T: { side_effect: 'read' }, W: { side_effect: 'write' } } }

describe('the default success check', () => {
  it.each([
    [null, true],
    [undefined, true],
    ['Error: x', false],
    ['fatal: x', false],
    ['ERROR: x', true],
    ['error: x', true],
    ['Fatal: x', true],
    ['errorless', true],
    ['', true],
    [' Error: x', true],
    [{ is_error: true }, false],
    [{ is_error: 1 }, false],
    [{ is_error: false }, true],
    [{ status: 500 }, true],
    [{ ok: false }, true],
    [[{ is_error: true }], true],
  ])('judges %j as success: %s', (result, expected) => {
    expect(defaultSuccessCheck('T', result)).toBe(expected)
  })
})

describe('a custom success check', () => {
  const byStatus = (_: string, result: unknown) =>
    !(typeof result === 'object' && result !== null && 'status' in result && Number(result.status) >= 400)

  it('replaces the default, in both directions', async () => {
    const guard = guardOf([], { successCheck: byStatus })
    await expect(guard.run('T', {}, () => ({ status: 500 }))).rejects.toMatchObject({
      name: 'EdictumToolError',
      result: { status: 500 },
    })
    expect(await guard.run('T', {}, () => 'Error: but fine here')).toBe('Error: but fine here')
  })

  it('decides what counts against a limit', async () => {
    const guard = guardOf(
      [{ id: 's', type: 'session', limits: { max_tool_calls: 1 }, then: { effect: 'deny', message: 'm' } }],
      { successCheck: byStatus },
    )
    await expect(guard.run('T', {}, () => ({ status: 404 }))).rejects.toThrow('404')
    expect(await guard.run('T', {}, () => ({ status: 200 }))).toEqual({ status: 200 })
    await expect(guard.run('T', {}, () => ({ status: 200 }))).rejects.toThrow('m')
  })

  it('is not asked when the tool threw', async () => {
    let asked = 0
    const guard = guardOf([], { successCheck: () => ++asked > 0 })
    const cause = new Error('boom')
    await expect(
      guard.run('T', {}, () => {
        throw cause
      }),
    ).rejects.toMatchObject({ name: 'EdictumToolError', message: 'boom' })
    expect(asked).toBe(0)
  })
})

describe('postconditions', () => {
  it('mask what they find in the shape it came in', async () => {
    const guard = guardOf([post('pii', ssn, 'redact')], {}, reads)
    expect(await guard.run('T', {}, () => 'id 078-05-1120.')).toBe('id [REDACTED].')
    expect(await guard.run('T', {}, () => ({ list: ['078-05-1120'], deep: { n: 1 } }))).toEqual({
      list: ['[REDACTED]'],
      deep: { n: 1 },
    })
    expect(await guard.run('T', {}, () => Buffer.from('078-05-1120'))).toEqual(Buffer.from('[REDACTED]'))
    expect(await guard.run('T', {}, () => 'nothing here')).toBe('nothing here')
  })

  it('find what stands beyond any window', async () => {
    const guard = guardOf([post('pii', ssn, 'redact')], {}, reads)
    const text = `${'x'.repeat(2_000_000)}078-05-1120`
    expect(await guard.run('T', {}, () => text)).toBe(`${'x'.repeat(2_000_000)}[REDACTED]`)
  })

  it('suppress an output whole', async () => {
    const guard = guardOf([post('top', { 'output.text': { contains: 'secret' } }, 'deny')], {}, reads)
    expect(await guard.run('T', {}, () => 'a secret')).toBe('[OUTPUT SUPPRESSED] top found something')
  })

  it('only warn when the action has already happened, but keep the secret out of the record', async () => {
    const guard = guardOf([post('pii', ssn, 'redact')], {}, reads)
    expect(await guard.run('W', {}, () => 'id 078-05-1120')).toBe('id 078-05-1120')
    expect(guard.localSink.last()).toMatchObject({
      action: 'call_executed',
      postconditionsPassed: false,
      resultSummary: 'id [REDACTED]',
    })
  })

  it('change nothing in observe mode, of the guard or of the contract', async () => {
    expect(
      await guardOf([post('pii', ssn, 'redact')], { mode: 'observe' }, reads).run(
        'T',
        {},
        () => '078-05-1120',
      ),
    ).toBe('078-05-1120')
    const guard = guardOf([{ ...post('pii', ssn, 'deny'), mode: 'observe' }], {}, reads)
    expect(await guard.run('T', {}, () => '078-05-1120')).toBe('078-05-1120')
    expect(guard.localSink.last()).toMatchObject({
      postconditionsPassed: true,
      contractsEvaluated: [{ passed: false, observed: true }],
    })
  })

  it('mask errors too: message, result and cause', async () => {
    const guard = guardOf([post('pii', ssn, 'redact')], {}, reads)
    const failure = await guard
      .run('T', {}, () => {
        throw new Error('row 078-05-1120 is locked')
      })
      .catch((error: unknown) => error as EdictumToolError)
    expect(failure.message).toBe('row [REDACTED] is locked')
    expect(JSON.stringify([failure.result, String(failure.cause)])).not.toContain('078')
    expect(guard.localSink.last().error).toBe('row [REDACTED] is locked')
  })

  it('mask credentials in errors without any contract', async () => {
    const failure = await guardOf([])
      .run('T', {}, () => {
        throw new Error('cannot reach postgres://bob:hunter2@db/x')
      })
      .catch((error: unknown) => error as EdictumToolError)
    expect(failure.message).toBe('cannot reach postgres://bob:[REDACTED]@db/x')
    expect(String((failure.cause as Error).message)).not.toContain('hunter2')
  })

  it('report findings to whoever finishes the call', async () => {
    const guard = guardOf([post('pii-check', ssn, 'warn')], {}, reads)
    const admission = await guard.begin({ toolName: 'T', args: {} })
    if (admission.kind !== 'admitted') throw new Error('refused')
    expect(await admission.finish({ output: '078-05-1120' })).toMatchObject({
      kind: 'executed',
      value: '078-05-1120',
      postconditionsPassed: false,
      findings: [{ type: 'pii_detected', contractId: 'pii-check', field: 'output' }],
      warnings: [expect.stringContaining('pii-check found something')],
    })
  })

  it('may be written in code', async () => {
    const noZeros = postcondition(
      'T',
      (_, response) => (response === 0 ? Verdict.fail('zero') : Verdict.pass()),
      { effect: 'deny' },
    )
    const guard = guardOf([], { contracts: [noZeros] }, reads)
    expect(await guard.run('T', {}, () => 0)).toBe('[OUTPUT SUPPRESSED] zero')
    expect(await guard.run('T', {}, () => 1)).toBe(1)
  })
})

describe('an admission', () => {
  it('is finished or abandoned exactly once', async () => {
    const guard = guardOf([])
    const admission = await guard.begin({ toolName: 'T', args: {} })
    if (admission.kind !== 'admitted') throw new Error('refused')
    await admission.finish({ output: 1 })
    await expect(admission.finish({ output: 1 })).rejects.toThrow('exactly once')
    await expect(admission.abandon()).rejects.toThrow('exactly once')
  })

  it('is on record even when nobody can say what of its output may be shown', async () => {
    class Broken extends RedactionPolicy {
      override redactResult(): never {
        throw new Error('broken')
      }
    }
    const guard = guardOf([], { redaction: new Broken(), limits: { maxToolCalls: 1 } })
    expect(await guard.run('T', {}, () => 'done')).toBe('done')
    expect(guard.localSink.last()).toMatchObject({
      action: 'call_executed',
      resultSummary: null,
      policyError: true,
      sessionExecutionCount: 1,
    })
    await expect(guard.run('T', {}, () => 'again')).rejects.toThrow('limit')
  })

  it('gives its slot back when abandoned, and the record says so', async () => {
    const guard = guardOf([], { limits: { maxToolCalls: 1 } })
    const admission = await guard.begin({ toolName: 'T', args: {} })
    if (admission.kind !== 'admitted') throw new Error('refused')
    await admission.abandon('the model changed its mind')
    expect(guard.localSink.last()).toMatchObject({
      action: 'call_failed',
      error: 'the model changed its mind',
    })
    expect(await guard.run('T', {}, () => 1)).toBe(1)
  })
})
