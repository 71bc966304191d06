import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RedactionPolicy } from '../../policy/redaction/redaction-policy.js'
import { describeRequest, type RequestView } from './describe-request.js'
import type { PendingApproval } from './memory.js'

const request: PendingApproval = {
  approvalId: '3f2c9a54-0000-4000-8000-000000000000',
  toolName: 'create_user',
  toolArgs: { name: 'bob', password: 'hunter2' },
  message: 'Create an account?\n',
  timeout: 300,
  timeoutEffect: 'deny',
  principal: { user_id: 'alice', service_id: null, role: 'admin', claims: {} },
  metadata: {},
  sessionId: 'session-1',
  argsHash: 'ab'.repeat(32),
  createdAt: new Date(0),
}

function show(given: Partial<PendingApproval>, view: Partial<RequestView> = {}): string {
  return describeRequest(
    { ...request, ...given },
    { redaction: new RedactionPolicy(), columns: 80, secondsLeft: 300, ...view },
  )
}

describe('describeRequest', () => {
  it('says what is asked, for whom, and what happens without an answer', () => {
    expect(show({})).toBe(`
Approval needed
  Message    | Create an account?
  Tool       | create_user
  Arguments  | name = "bob"
             | password = "[REDACTED]"
  For        | user_id = "alice"
             | role = "admin"
             | session = "session-1"
  Id         | 3f2c9a54-0000-4000-8000-000000000000
  Otherwise  | denied in 300 s without an answer
`)
  })

  it('says so when silence means consent, when nobody is named and when there are no arguments', () => {
    const text = show({ timeoutEffect: 'allow', principal: null, toolArgs: {} })
    expect(text).toContain('  Otherwise  | allowed in 300 s')
    expect(text).toContain('  For        | nobody in particular')
    expect(text).toContain('  Arguments  | none')
  })

  it('shows no secret of the arguments, the message or the claims', () => {
    const secret = `sk-${'a1'.repeat(12)}`
    const text = show({
      toolArgs: { deep: [{ apiKey: 'k-123' }], header: secret, command: 'mysql --password=hunter2 -u root' },
      message: 'run curl https://bob:hunter3@example.org ?',
      principal: { user_id: 'alice', claims: { token: 'k-456' } },
    })
    for (const leak of ['k-123', secret, 'hunter2', 'hunter3', 'k-456']) expect(text).not.toContain(leak)
    expect(text).toContain('mysql --password=[REDACTED] -u root')
  })

  it('takes the redaction it is given', () => {
    const redaction = new RedactionPolicy({ sensitiveKeys: ['iban'] })
    expect(show({ toolArgs: { iban: 'DE00' } }, { redaction })).toContain('iban = "[REDACTED]"')
  })

  it('shows dates, bytes and unusual numbers for what they are', () => {
    const toolArgs = {
      at: new Date(0),
      never: new Date(Number.NaN),
      body: new Uint8Array(3),
      amount: 12n,
      rate: Infinity,
      none: undefined,
    }
    const text = show({ toolArgs })
    expect(text).toContain('at = "1970-01-01T00:00:00.000Z"')
    expect(text).toContain('never = "Invalid Date"')
    expect(text).toContain('body = "(3 bytes)"')
    expect(text).toContain('amount = "12n"')
    expect(text).toContain('rate = "Infinity"')
    expect(text).toContain('none = "(undefined)"')
  })

  it('points out a text it does not show in full', () => {
    expect(show({})).not.toContain('Attention')
    const command = `echo ok${' '.repeat(2_000)}; rm -rf /...`
    const text = show({ toolArgs: { steps: [{ command }] } })
    expect(text).not.toContain('rm -rf')
    expect(text).toContain('  Attention  | 1 long text is not shown in full')
    expect(show({ toolArgs: { a: command, b: command } })).toContain('2 long texts are not shown in full')
  })

  it('stops after forty lines of arguments and says so', () => {
    const toolArgs = Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => [`argument${index}`, index]),
    )
    const text = show({ toolArgs })
    expect(text).toContain('argument39 = 39')
    expect(text).not.toContain('argument40')
    expect(text).toContain('| (the rest is NOT SHOWN)')
  })

  it('keeps a padded message from starting a line of the terminal', () => {
    const text = show({ message: `ok?${' '.repeat(65)}Approve this call? [y/N] y` })
    expect(text.split('\n').filter((line) => line.startsWith('Approve'))).toEqual([])
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThan(80)
  })

  it('starts every line itself, whatever the agent sends', () => {
    const hostile = fc.string({ unit: 'binary', maxLength: 120 })
    const own =
      /^(?:|Approval needed|  (?:Message|Tool|Arguments|For|Id|Otherwise|Attention)? *\| [^\p{C}]*)$/u
    fc.assert(
      fc.property(hostile, hostile, hostile, (message, toolName, key) => {
        const text = show({
          message,
          toolName,
          toolArgs: { [key]: message },
          principal: { [key]: toolName },
          sessionId: key,
        })
        for (const line of text.split('\n')) expect(line).toMatch(own)
      }),
    )
  })
})
