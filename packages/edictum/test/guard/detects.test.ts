// `detects` in contracts: before a call, after it, in what is shown and in what is recorded.
import { describe, expect, it } from 'vitest'

import { Edictum, EdictumDenied, type EdictumConfigError } from '../../src/index.js'

const token = `gh${'p_'}${'a1B2c3D4e5F6'.repeat(3)}`

function guardWith(contracts: string): Edictum {
  return Edictum.fromYamlString(`apiVersion: edictum/v1
kind: ContractBundle
metadata: { name: detects }
defaults: { mode: enforce }
tools: { look: { side_effect: read } }
contracts:
${contracts}`)
}

const maskAll = `
  - id: mask
    type: post
    tool: '*'
    when: { output.text: { detects: [secrets, pii] } }
    then: { effect: redact, message: masked }`

describe('before a call', () => {
  const guard = guardWith(`
  - id: no-secrets-out
    type: pre
    tool: send
    when: { args.body: { detects: [github-token, ssn] } }
    then: { effect: deny, message: 'The text holds something secret.' }`)

  it('denies a call whose argument holds a find', async () => {
    await expect(guard.run('send', { body: `use ${token}` }, () => 'sent')).rejects.toThrow(EdictumDenied)
    await expect(guard.run('send', { body: { note: ['123-45-6789'] } }, () => 'sent')).rejects.toThrow(
      EdictumDenied,
    )
    expect(JSON.stringify(guard.localSink.events)).not.toContain(token)
  })

  it('lets other calls through', async () => {
    expect(await guard.run('send', { body: 'hello, 4111 1111 1111 1111' }, () => 'sent')).toBe('sent')
    expect(await guard.run('send', {}, () => 'sent')).toBe('sent')
  })

  it('explains which detector found something, and does not show it', () => {
    const [contract] = guard.evaluate('send', { body: `id 123-45-6789, ${token}` }).explain()
    expect(contract?.when).toMatchObject({
      kind: 'leaf',
      outcome: 'matched',
      operator: 'detects',
      operand: ['github-token', 'ssn'],
      detected: ['ssn', 'github-token'],
      value: 'id [REDACTED], [REDACTED]',
    })
  })
})

describe('after a call', () => {
  const guard = guardWith(maskAll)

  it('masks exactly what is found', async () => {
    expect(await guard.run('look', {}, () => `a ${token} b 123-45-6789 c`)).toBe(
      'a [REDACTED] b [REDACTED] c',
    )
  })

  it('keeps the shape of the result', async () => {
    const result = {
      name: 'Ada',
      login: { password: 'Tr0ub4dor&3x', notes: [`key ${token}`] },
      card: 4_111_111_111_111_111,
      count: 3,
    }
    expect(await guard.run('look', {}, () => result)).toEqual({
      name: 'Ada',
      login: { password: '[REDACTED]', notes: ['key [REDACTED]'] },
      card: '[REDACTED]',
      count: 3,
    })
  })

  it('masks errors', async () => {
    const call = guard.run('look', {}, () => {
      throw new Error(`no access with ${token}`)
    })
    await expect(call).rejects.toThrow('no access with [REDACTED]')
  })

  it('returns a result without a find as it is', async () => {
    const result = { name: 'Ada', list: [1, 2] }
    expect(await guard.run('look', {}, () => result)).toBe(result)
  })

  it('masks a long result, and lets other work go on meanwhile', async () => {
    const line = 'The quick brown fox jumps over the lazy dog.\n'
    const text = `${line.repeat(60_000)}${token}\n${line.repeat(60_000)}`
    let turns = 0
    let isOver = false
    const count = () => {
      turns++
      if (!isOver) setImmediate(count)
    }
    setImmediate(count)
    const masked = await guard.run('look', {}, () => text)
    isOver = true
    expect(masked).toBe(text.replace(token, '[REDACTED]'))
    expect(turns).toBeGreaterThan(50)
  })

  it('says what it would mask in a dry run', () => {
    const evaluation = guard.evaluate('look', {}, { output: `x ${token}` })
    expect(evaluation.inspectOutput()).toEqual({ kind: 'redacted', value: 'x [REDACTED]' })
  })
})

describe('a name that is no detector', () => {
  it('is reported at its place, with the nearest name', () => {
    const load = () =>
      guardWith(`
  - id: typo
    type: pre
    tool: '*'
    when: { args.x: { detects: [ssn, aws-keys] } }
    then: { effect: deny, message: m }`)
    expect(load).toThrow('did you mean `aws-key`?')
    try {
      load()
    } catch (error) {
      expect((error as EdictumConfigError).diagnostics).toMatchObject([
        { code: 'unknown-detector', line: 11, column: 38, path: 'contracts[0].when.args.x.detects[1]' },
      ])
    }
  })
})
