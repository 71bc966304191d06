import { describe, expect, it } from 'vitest'

import { RedactionPolicy } from './redaction-policy.js'

const policy = new RedactionPolicy()

describe('RedactionPolicy', () => {
  it.each([
    'Password',
    'user_password',
    'x-api-key',
    'apiKey',
    'access_token',
    'accessToken',
    'publicKey',
    'primary_key',
    'key',
    'token_count',
    'secret_name',
    'credential_id',
    'password_reset_url',
    'auth',
    'authorization',
    'API_KEY',
    'auth_token',
    'access-token',
  ])('masks the field %s', (key) => {
    expect(policy.redactArgs({ [key]: 'x' })).toEqual({ [key]: '[REDACTED]' })
  })

  it.each(['monkey', 'keyboard', 'author', 'secretary', 'max_tokens', 'sort_keys', 'bucket', 'maxTokens'])(
    'leaves the field %s alone',
    (key) => {
      expect(policy.redactArgs({ [key]: 'x' })).toEqual({ [key]: 'x' })
    },
  )

  it.each([
    [`sk-${'a'.repeat(20)}`, '[REDACTED]'],
    [`sk-proj-${'a'.repeat(20)}`, '[REDACTED]'],
    [`AKIA${'A'.repeat(16)}`, '[REDACTED]'],
    ['mysql -p hunter2', 'mysql -p [REDACTED]'],
    ['mysql -phunter2', 'mysql -p[REDACTED]'],
    ['https://user:pass@host/x', 'https://user:[REDACTED]@host/x'],
    ['export API_KEY=abc', 'export API_KEY=[REDACTED]'],
    ['API_KEY=abc', 'API_KEY=abc'],
    ['login --password=abc now', 'login --password=[REDACTED] now'],
    ['login --password abc', 'login --password [REDACTED]'],
    ['curl -H "Authorization: Bearer hunter2" x', 'curl -H "Authorization: Bearer [REDACTED]" x'],
    [`see sk-${'a'.repeat(24)} there`, 'see [REDACTED] there'],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N', '[REDACTED]'],
    ['mkdir -p build/out', 'mkdir -p build/out'],
    ['a'.repeat(1001), `${'a'.repeat(997)}...`],
  ])('turns the text %j into %j', (text, expected) => {
    expect(policy.redactArgs(text)).toBe(expected)
  })

  it('walks nested data without changing it', () => {
    const value = { a: [{ token: 'x', ok: 1 }], n: null, b: true }
    expect(policy.redactArgs(value)).toEqual({ a: [{ token: '[REDACTED]', ok: 1 }], n: null, b: true })
    expect(value.a[0]?.token).toBe('x')
  })

  it('masks the second of a pair whose first names a secret', () => {
    expect(
      policy.redactArgs({
        headers: [
          ['Authorization', 'x'],
          ['Accept', 'y'],
        ],
      }),
    ).toEqual({
      headers: [
        ['Authorization', '[REDACTED]'],
        ['Accept', 'y'],
      ],
    })
  })

  it('shows dates as they are and of bytes only how many', () => {
    expect(policy.redactArgs({ at: new Date(0), file: new Uint8Array(3) })).toEqual({
      at: new Date(0),
      file: '<3 bytes>',
    })
  })

  it('keeps testing names but not texts when detection is off', () => {
    const quiet = new RedactionPolicy({ detectSecretValues: false })
    expect(quiet.redactArgs({ token: 'x', text: `sk-${'a'.repeat(20)}` })).toEqual({
      token: '[REDACTED]',
      text: `sk-${'a'.repeat(20)}`,
    })
  })

  it('adds to the built-in names and patterns, never replaces them', () => {
    const custom = new RedactionPolicy({
      sensitiveKeys: ['badge'],
      safeCompoundKeys: ['license_key'],
      customPatterns: [[/(ticket )\d+/, '$1[REDACTED]']],
    })
    expect(
      custom.redactArgs({ badge: '1', password: '2', license_key: '3', note: 'ticket 42, ticket 43' }),
    ).toEqual({
      badge: '[REDACTED]',
      password: '[REDACTED]',
      license_key: '3',
      note: 'ticket [REDACTED], ticket [REDACTED]',
    })
  })

  it.each([['://a:'.repeat(20_000)], [`export ${'KEY'.repeat(30_000)}`], [' -p'.repeat(30_000)]])(
    'stays fast on hostile text',
    (text) => {
      const started = performance.now()
      policy.redactBashCommand(text)
      expect(performance.now() - started).toBeLessThan(300)
    },
  )
})
