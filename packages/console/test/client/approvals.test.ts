// Consent asked for by the library's client on a real console.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ApprovalRequestTerms, Edictum, EdictumDenied } from 'edictum'
import { EdictumServerClient, EdictumServerError, ServerApprovalBackend } from 'edictum/server'
import { describeApprovalBackend } from 'edictum/testing'
import { startTestConsole, type TestConsole } from '../test-console.js'
import { type FaultyWay, httpAnswer, openFaultyWay } from './faulty-way.js'

let console_: TestConsole
let way: FaultyWay
let approver: string

beforeAll(async () => {
  console_ = await startTestConsole()
  way = await openFaultyWay(() => console_.url)
  approver = await console_.logInAs('approver')
})
afterAll(async () => {
  await way.close()
  await console_.stop()
})

const open = (): ServerApprovalBackend =>
  new ServerApprovalBackend(new EdictumServerClient({ baseUrl: way.url, apiKey: console_.key }), {
    onProblem: () => undefined,
  })
const decide = async (id: string, approved: boolean): Promise<number> => {
  const asking = { method: 'PUT', cookie: approver, body: { approved, reason: 'said a person' } }
  return (await console_.ask(`/api/v1/approvals/${id}`, asking)).status
}
const statusOf = async (id: string): Promise<string> =>
  (await console_.ask(`/api/edictum/v1/approvals/${id}`)).body.status
const listed = async (): Promise<{ id: string; tool_args: object; message: string; args_hash: string }[]> =>
  (await console_.ask('/api/v1/approvals?limit=1000', { cookie: approver })).body

describeApprovalBackend('ServerApprovalBackend', {
  describe,
  it,
  open: () => ({
    backend: open(),
    answer: async (id, decision) => {
      await decide(id, decision === 'approve')
    },
  }),
})

const terms: ApprovalRequestTerms = {
  timeout: 30,
  timeoutEffect: 'allow',
  principal: null,
  metadata: {},
  sessionId: 'session-1',
  argsHash: 'cd'.repeat(32),
}
const ask = (backend: ServerApprovalBackend, given: Partial<ApprovalRequestTerms> = {}) =>
  backend.requestApproval('deploy', { service: 'web' }, 'Deploy?', { ...terms, ...given })

describe('ServerApprovalBackend', () => {
  it('tells a person what will run, without secrets, and the agent who decided and why', async () => {
    const backend = open()
    const secret = ['sk', 'live', 'a1b2c3d4e5f6g7h8i9j0'].join('_')
    const { approvalId } = await backend.requestApproval(
      'deploy',
      { service: 'web', password: secret, when: new Date(0) },
      `Deploy with ${secret}?`,
      terms,
    )
    const shown = (await listed()).find(({ id }) => id === approvalId)
    expect(shown?.tool_args).toEqual({
      service: 'web',
      password: '[REDACTED]',
      when: '1970-01-01T00:00:00.000Z',
    })
    expect(JSON.stringify(shown)).not.toContain(secret)
    const waiting = backend.waitForDecision(approvalId, 30)
    expect(await decide(approvalId, true)).toBe(200)
    expect(await waiting).toMatchObject({ approved: true, status: 'approved', reason: 'said a person' })
  })

  it('asks one person once although the request is sent again', async () => {
    await way.change({ kind: 'cuts', answerBytes: 20 })
    const backend = open()
    const asking = ask(backend, { argsHash: 'once'.repeat(8) })
    await expect.poll(() => way.requests.at(-1)).toMatch(/POST .*approvals/)
    await way.change({ kind: 'fair' })
    const { approvalId } = await asking
    expect((await listed()).filter(({ args_hash }) => args_hash === 'once'.repeat(8))).toHaveLength(1)
    await decide(approvalId, false)
    expect(await backend.waitForDecision(approvalId, 5)).toMatchObject({ approved: false, status: 'denied' })
  })

  it('takes a question back when time is up, and ignores what is decided afterwards', async () => {
    const backend = open()
    const { approvalId } = await ask(backend, { timeoutEffect: 'deny' })
    expect(await backend.waitForDecision(approvalId, 0.2)).toMatchObject({
      approved: false,
      status: 'timeout',
    })
    await expect.poll(() => statusOf(approvalId)).toBe('cancelled')
    expect(await decide(approvalId, true)).toBe(409)
  })

  it('takes a question back when the caller gives up', async () => {
    const backend = open()
    const controller = new AbortController()
    const { approvalId } = await ask(backend, { signal: controller.signal })
    const waiting = backend.waitForDecision(approvalId, 30, controller.signal)
    controller.abort(new Error('gave up'))
    await expect(waiting).rejects.toThrow('gave up')
    await expect.poll(() => statusOf(approvalId)).toBe('cancelled')
  })

  it('waits through an outage for a decision made meanwhile', async () => {
    const backend = open()
    const { approvalId } = await ask(backend)
    const waiting = backend.waitForDecision(approvalId, 20)
    await way.change({ kind: 'away' })
    await decide(approvalId, true)
    await way.change({ kind: 'fair' })
    expect(await waiting).toMatchObject({ approved: true, status: 'approved' })
  })

  it('does not take silence for consent: a timeout that allows needs a server that says so', async () => {
    const guard = Edictum.fromYamlString(
      `
apiVersion: edictum/v1
kind: ContractBundle
metadata: { name: ask }
defaults: { mode: enforce }
contracts:
  - id: ask-first
    type: pre
    tool: deploy
    when: { args.service: { exists: true } }
    then: { effect: approve, message: 'Deploy?', timeout: 1, timeout_effect: allow }
`,
      { approvalBackend: open() },
    )
    const run = async (): Promise<string> => guard.run('deploy', { service: 'web' }, () => 'ran')
    expect(await run()).toBe('ran')
    const before = way.requests.length
    const running = run()
    running.catch(() => undefined)
    await expect
      .poll(() => way.requests.slice(before).filter((line) => line.includes('wait=')).length)
      .toBe(1)
    await way.change({ kind: 'away' })
    await expect(running).rejects.toThrow(EdictumDenied)
    await way.change({ kind: 'fair' })
  })

  for (const [name, body] of [
    ['another hash', { id: 'a1', status: 'approved', args_hash: 'other' }],
    ['an unknown status', { id: 'a1', status: 'yes', args_hash: terms.argsHash }],
    ['an id that is a path', { id: '../keys', status: 'approved', args_hash: terms.argsHash }],
    ['nothing', {}],
  ] as const) {
    it(`does not take ${name} for consent`, async () => {
      const backend = open()
      const { approvalId } = await ask(backend)
      await way.change({ kind: 'answers', text: httpAnswer(200, JSON.stringify(body)) })
      try {
        await expect(backend.waitForDecision(approvalId, 2)).rejects.toThrow(EdictumServerError)
      } finally {
        await way.change({ kind: 'fair' })
      }
    })
  }
})
