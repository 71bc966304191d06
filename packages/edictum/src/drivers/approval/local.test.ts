import { PassThrough } from 'node:stream'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { ApprovalDecision, ApprovalTerms } from '../../guard/ports/approval-backend.js'
import { RedactionPolicy } from '../../policy/redaction/redaction-policy.js'
import { describeApprovalBackend } from '../../testing/describe-approval-backend.js'
import { LocalApprovalBackend, type LocalApprovalOptions } from './local.js'

const terms: ApprovalTerms = {
  timeout: 300,
  timeoutEffect: 'deny',
  principal: { user_id: 'alice' },
  metadata: {},
  sessionId: 'session-1',
  argsHash: 'ab'.repeat(32),
}

/** A person at a terminal: reads what is written and types only after the question it answers. */
function sitDown(options: LocalApprovalOptions = {}) {
  const input = new PassThrough()
  const output = new PassThrough()
  let screen = ''
  output.on('data', (chunk) => (screen += String(chunk)))
  const listeners = () =>
    [input, output].map((stream) => stream.eventNames().map((name) => stream.listenerCount(name)))
  const before = listeners()
  const backend = new LocalApprovalBackend({ input, output, ...options })
  return {
    backend,
    input,
    output,
    screen: () => screen,
    expectNoTraces: () => expect(listeners()).toEqual(before),
    type: (line: string) => input.write(`${line}\n`),
    sees: async (text: string) => vi.waitFor(() => expect(screen).toContain(text), { interval: 1 }),
    ask: async (toolName: string, given: Partial<ApprovalTerms> = {}) => {
      const args = { name: 'bob', password: 'hunter2' }
      const { approvalId } = await backend.requestApproval(toolName, args, 'really?', { ...terms, ...given })
      return approvalId
    },
  }
}

describeApprovalBackend('LocalApprovalBackend', {
  describe,
  it,
  open: () => {
    const { backend, sees, type } = sitDown()
    return {
      backend,
      answer: async (approvalId, decision) => {
        await sees(approvalId)
        type(decision === 'approve' ? 'yes' : 'no')
      },
    }
  },
})

describe('LocalApprovalBackend', () => {
  afterEach(() => {
    vi.restoreAllMocks()
    vi.useRealTimers()
  })

  it('shows the call, takes the answer and says what came of it', async () => {
    const { backend, ask, sees, type, screen, expectNoTraces } = sitDown()
    const id = await ask('create_user')
    const decision = backend.waitForDecision(id, 300)
    await sees('[y/N]')
    type('yes')
    await expect(decision).resolves.toEqual({
      approved: true,
      status: 'approved',
      approver: 'local',
      reason: null,
    })
    await sees('Approved')
    expect(screen()).toBe(`
Approval needed
  Message    | really?
  Tool       | create_user
  Arguments  | name = "bob"
             | password = "[REDACTED]"
  For        | user_id = "alice"
             | session = "session-1"
  Id         | ${id}
  Otherwise  | denied in 300 s without an answer
Approve this call? [y/N] Approved
`)
    expectNoTraces()
  })

  it.each(['y', 'Y', 'yes', ' YES ', 'approve', 'Approve\r'])('takes %j for consent', async (line) => {
    const { backend, ask, type } = sitDown()
    const decision = backend.waitForDecision(await ask('create_user'), 300)
    type(line)
    await expect(decision).resolves.toMatchObject({ approved: true, approver: 'local' })
  })

  it.each(['', 'n', 'no', 'yess', 'y y', 'yes please', 'approved', 'true', '1', 'ja', '\u001by', 'y\u0003'])(
    'takes %j for a refusal',
    async (line) => {
      const { backend, ask, type } = sitDown()
      const decision = backend.waitForDecision(await ask('create_user'), 300)
      type(line)
      await expect(decision).resolves.toEqual({
        approved: false,
        status: 'denied',
        approver: 'local',
        reason: null,
      })
    },
  )

  it('hides what the redaction it is given hides', async () => {
    const { backend, ask, screen, type } = sitDown({
      redaction: new RedactionPolicy({ sensitiveKeys: ['name'] }),
    })
    const decision = backend.waitForDecision(await ask('create_user'), 300)
    type('n')
    await decision
    expect(screen()).toContain('name = "[REDACTED]"')
  })

  it('asks one question at a time, in order', async () => {
    const { backend, ask, sees, type, screen, expectNoTraces } = sitDown()
    const names = ['first_tool', 'second_tool', 'third_tool']
    const decisions: Promise<ApprovalDecision>[] = []
    for (const name of names) decisions.push(backend.waitForDecision(await ask(name), 300))
    await sees('first_tool')
    expect(screen()).not.toContain('second_tool')
    type('y')
    await sees('second_tool')
    expect(screen()).not.toContain('third_tool')
    type('n')
    await sees('third_tool')
    type('y')
    const answers = await Promise.all(decisions)
    expect(answers.map((decision) => decision.approved)).toEqual([true, false, true])
    expectNoTraces()
  })

  it('never takes one answer for two questions, also when two backends share a terminal', async () => {
    const { backend, ask, input, output, sees, type, screen } = sitDown()
    const other = new LocalApprovalBackend({ input, output })
    const first = backend.waitForDecision(await ask('first_tool'), 300)
    const { approvalId } = await other.requestApproval('second_tool', {}, 'really?', terms)
    const second = other.waitForDecision(approvalId, 300)
    await sees('first_tool')
    type('y')
    await expect(first).resolves.toMatchObject({ approved: true })
    await sees('second_tool')
    expect(screen().match(/\[y\/N\]/g)).toHaveLength(2)
    type('n')
    await expect(second).resolves.toMatchObject({ approved: false })
  })

  it('withdraws a question at its timeout, skips those that expired in the queue, and goes on', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    const { backend, ask, type, screen, expectNoTraces } = sitDown()
    const first = backend.waitForDecision(await ask('first_tool'), 20)
    const second = backend.waitForDecision(await ask('second_tool', { timeoutEffect: 'allow' }), 10)
    const third = backend.waitForDecision(await ask('third_tool'), 300)
    vi.advanceTimersByTime(10_000)
    await expect(second).resolves.toMatchObject({ approved: true, status: 'timeout' })
    vi.advanceTimersByTime(10_000)
    await expect(first).resolves.toMatchObject({ approved: false, status: 'timeout' })
    await new Promise(setImmediate)
    expect(screen()).toContain('Withdrawn: no answer in time, the call is denied\n')
    expect(screen()).not.toContain('second_tool')
    expect(screen()).not.toContain('the call is allowed')
    expect(screen()).toContain('third_tool')
    expect(screen()).toContain('denied in 280 s without an answer')
    type('y')
    await expect(third).resolves.toMatchObject({ approved: true })
    expectNoTraces()
  })

  it('withdraws a question when the caller gives up', async () => {
    const { backend, ask, sees, expectNoTraces } = sitDown()
    const controller = new AbortController()
    const decision = backend.waitForDecision(await ask('create_user'), 300, controller.signal)
    await sees('[y/N]')
    controller.abort(new Error('gave up'))
    await expect(decision).rejects.toThrow('gave up')
    await sees('Withdrawn: the call was cancelled')
    expectNoTraces()
  })

  it('drops a question at once that is withdrawn while it waits for its turn', async () => {
    const redaction = new RedactionPolicy()
    const describing = vi.spyOn(redaction, 'redactArgs')
    const { backend, ask, type } = sitDown({ redaction })
    const controller = new AbortController()
    const first = backend.waitForDecision(await ask('first_tool'), 300)
    const second = backend.waitForDecision(await ask('second_tool'), 300, controller.signal)
    const described = describing.mock.calls.length
    controller.abort(new Error('gave up'))
    await expect(second).rejects.toThrow('gave up')
    type('y')
    await first
    await new Promise(setImmediate)
    expect(describing.mock.calls.length).toBe(described)
  })

  it('denies at once when the input ends, and asks nothing more', async () => {
    const { backend, ask, input, sees, screen, expectNoTraces } = sitDown()
    const first = backend.waitForDecision(await ask('first_tool'), 300)
    const second = backend.waitForDecision(await ask('second_tool'), 300)
    input.end()
    const denied = {
      approved: false,
      status: 'denied',
      approver: null,
      reason: 'nobody could be asked: the input is closed',
    }
    await expect(first).resolves.toEqual(denied)
    await expect(second).resolves.toEqual(denied)
    await sees('Denied: the input is closed')
    expect(screen()).not.toContain('second_tool')
    expectNoTraces()
  })

  it('denies a call it cannot describe', async () => {
    const redaction = new RedactionPolicy()
    vi.spyOn(redaction, 'redactArgs').mockImplementation(() => {
      throw new Error('no idea')
    })
    const { backend, ask, screen } = sitDown({ redaction })
    await expect(backend.waitForDecision(await ask('create_user'), 300)).resolves.toMatchObject({
      approved: false,
      reason: 'nobody could be asked: no idea',
    })
    expect(screen()).toBe('')
  })

  it('does not take text from a pipe for a person', async () => {
    const piped = new PassThrough()
    piped.write('yes\n')
    vi.spyOn(process, 'stdin', 'get').mockReturnValue(piped as never)
    const backend = new LocalApprovalBackend({ output: new PassThrough() })
    const { approvalId } = await backend.requestApproval('create_user', {}, 'really?', terms)
    await expect(backend.waitForDecision(approvalId, 300)).resolves.toMatchObject({
      approved: false,
      reason: 'nobody could be asked: there is no terminal',
    })
    expect(String(piped.read())).toBe('yes\n')
  })

  it.each([
    ['stdout', 'stderr'],
    ['stderr', 'stdout'],
  ] as const)('asks on %s when it is a terminal and %s is not', async (terminal, pipe) => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() }
    Object.assign(streams.stdin, { isTTY: true })
    Object.assign(streams[terminal], { isTTY: true })
    for (const name of ['stdin', 'stdout', 'stderr'] as const) {
      vi.spyOn(process, name, 'get').mockReturnValue(streams[name] as never)
    }
    const backend = new LocalApprovalBackend()
    const { approvalId } = await backend.requestApproval('create_user', {}, 'really?', terms)
    const decision = backend.waitForDecision(approvalId, 300)
    vi.advanceTimersByTime(1_000)
    streams.stdin.write('y\n')
    await expect(decision).resolves.toMatchObject({ approved: true })
    expect(String(streams[terminal].read())).toContain('Approve this call? [y/N]')
    expect(streams[pipe].read()).toBeNull()
  })

  it('denies when nobody would see the question', async () => {
    vi.spyOn(process, 'stdout', 'get').mockReturnValue(new PassThrough() as never)
    vi.spyOn(process, 'stderr', 'get').mockReturnValue(new PassThrough() as never)
    const backend = new LocalApprovalBackend({ input: new PassThrough() })
    const { approvalId } = await backend.requestApproval('create_user', {}, 'really?', terms)
    await expect(backend.waitForDecision(approvalId, 300)).resolves.toMatchObject({
      reason: 'nobody could be asked: there is no terminal',
    })
  })

  it('leaves nothing on the streams after 1,000 questions', async () => {
    const { backend, ask, type, expectNoTraces } = sitDown()
    for (let round = 0; round < 1_000; round++) {
      const decision = backend.waitForDecision(await ask('create_user'), 300)
      type(round % 2 === 0 ? 'y' : 'n')
      expect((await decision).approved).toBe(round % 2 === 0)
    }
    expectNoTraces()
  })
})
