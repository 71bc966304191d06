import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ApprovalTerms } from '../../guard/ports/approval-backend.js'
import { describeApprovalBackend } from '../../testing/describe-approval-backend.js'
import { MemoryApprovalBackend, type PendingApproval } from './memory.js'

const terms: ApprovalTerms = {
  timeout: 300,
  timeoutEffect: 'deny',
  principal: { user_id: 'alice', role: 'admin' },
  metadata: { ticket: 'T-1' },
  sessionId: 'session-1',
  argsHash: 'ab'.repeat(32),
}

function file(backend: MemoryApprovalBackend, given: Partial<ApprovalTerms> = {}): Promise<PendingApproval> {
  return backend.requestApproval('delete_records', { table: 'users' }, 'delete?', { ...terms, ...given })
}

describeApprovalBackend('MemoryApprovalBackend', {
  describe,
  it,
  open: () => {
    const backend = new MemoryApprovalBackend()
    return {
      backend,
      answer: async (approvalId, decision) => {
        if (decision === 'approve') backend.approve(approvalId)
        else backend.deny(approvalId)
      },
    }
  },
})

describe('MemoryApprovalBackend', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: new Date('2026-01-02T03:04:05Z') })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('lists what is pending, oldest first, with everything a person needs to decide', async () => {
    const backend = new MemoryApprovalBackend()
    const first = await file(backend)
    const second = await backend.requestApproval('send_mail', { to: 'bob' }, 'send?', {
      ...terms,
      timeoutEffect: 'allow',
    })
    expect(backend.pending()).toEqual([
      {
        approvalId: first.approvalId,
        toolName: 'delete_records',
        toolArgs: { table: 'users' },
        message: 'delete?',
        timeout: 300,
        timeoutEffect: 'deny',
        principal: { user_id: 'alice', role: 'admin' },
        metadata: { ticket: 'T-1' },
        sessionId: 'session-1',
        argsHash: 'ab'.repeat(32),
        createdAt: new Date('2026-01-02T03:04:05Z'),
      },
      expect.objectContaining({
        approvalId: second.approvalId,
        toolName: 'send_mail',
        timeoutEffect: 'allow',
      }),
    ])
    expect(backend.find(second.approvalId)?.message).toBe('send?')
    expect(backend.find('no-such-approval')).toBeUndefined()
  })

  it('lists copies that neither side can change', async () => {
    const backend = new MemoryApprovalBackend()
    const toolArgs = { path: ['a'], at: new Date(0), bytes: new Uint8Array([1]), nested: { count: 1n } }
    await backend.requestApproval('write', toolArgs, 'write?', terms)
    toolArgs.path.push('b')
    toolArgs.bytes[0] = 9
    const [shown] = backend.pending()
    expect(shown?.toolArgs).toEqual({
      path: ['a'],
      at: new Date(0),
      bytes: new Uint8Array([1]),
      nested: { count: 1n },
    })
    expect(Object.isFrozen(shown)).toBe(true)
    expect(Object.isFrozen(shown?.toolArgs['path'])).toBe(true)
    expect(Object.isFrozen(shown?.toolArgs['nested'])).toBe(true)
    shown?.createdAt.setTime(0)
    expect(backend.pending()[0]?.createdAt).toEqual(new Date('2026-01-02T03:04:05Z'))
  })

  it('passes on who decided and why', async () => {
    const backend = new MemoryApprovalBackend()
    const { approvalId } = await file(backend)
    const decision = backend.waitForDecision(approvalId, 300)
    backend.deny(approvalId, { approver: 'carol', reason: 'not on a Friday' })
    await expect(decision).resolves.toEqual({
      approved: false,
      status: 'denied',
      approver: 'carol',
      reason: 'not on a Friday',
    })
    expect(backend.pending()).toEqual([])
  })

  it('keeps a decision that is made before the wait begins, for one wait', async () => {
    const backend = new MemoryApprovalBackend()
    const { approvalId } = await file(backend)
    backend.approve(approvalId)
    expect(backend.pending()).toEqual([])
    await vi.advanceTimersByTimeAsync(301_000)
    await expect(backend.waitForDecision(approvalId, 300)).resolves.toMatchObject({ status: 'approved' })
    await expect(backend.waitForDecision(approvalId, 300)).rejects.toThrow(/is not pending/)
  })

  it('refuses to decide what it does not know', () => {
    const backend = new MemoryApprovalBackend()
    expect(() => backend.approve('no-such-approval')).toThrow(
      expect.objectContaining({
        code: 'unknown-approval',
        message: expect.stringMatching(/`no-such-approval` is not pending/),
      }),
    )
  })

  it('refuses a second decision, before and after the first is collected', async () => {
    const backend = new MemoryApprovalBackend()
    const { approvalId } = await file(backend)
    backend.deny(approvalId)
    expect(() => backend.approve(approvalId)).toThrow(/decided already/)
    await expect(backend.waitForDecision(approvalId, 300)).resolves.toMatchObject({ approved: false })
    expect(() => backend.approve(approvalId)).toThrow(/is not pending/)
  })

  it('refuses a second wait while the first goes on', async () => {
    const backend = new MemoryApprovalBackend()
    const { approvalId } = await file(backend)
    const decision = backend.waitForDecision(approvalId, 300)
    await expect(backend.waitForDecision(approvalId, 300)).rejects.toThrow(/waited for already/)
    backend.approve(approvalId)
    await expect(decision).resolves.toMatchObject({ approved: true })
  })

  it('times out after the seconds of the wait, not those of the request', async () => {
    const backend = new MemoryApprovalBackend()
    const { approvalId } = await file(backend, { timeoutEffect: 'allow' })
    const decision = backend.waitForDecision(approvalId, 600)
    await vi.advanceTimersByTimeAsync(599_999)
    expect(backend.pending()).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1)
    await expect(decision).resolves.toEqual({
      approved: true,
      status: 'timeout',
      approver: null,
      reason: null,
    })
    expect(() => backend.approve(approvalId)).toThrow(/is not pending/)
  })

  it('uses the timeout of the request for a wait without one', async () => {
    const backend = new MemoryApprovalBackend()
    const { approvalId } = await file(backend, { timeout: 5 })
    const decision = backend.waitForDecision(approvalId)
    await vi.advanceTimersByTimeAsync(5_000)
    await expect(decision).resolves.toMatchObject({ status: 'timeout' })
  })

  it('lets a request expire that nobody waits for, and says so to a late wait', async () => {
    const backend = new MemoryApprovalBackend()
    const { approvalId } = await file(backend)
    await vi.advanceTimersByTimeAsync(300_000)
    expect(backend.pending()).toEqual([])
    expect(() => backend.approve(approvalId)).toThrow(/timed out/)
    await expect(backend.waitForDecision(approvalId, 300)).resolves.toMatchObject({ status: 'timeout' })
  })

  it('does not take a timeout too long for the platform as one that is over', async () => {
    const backend = new MemoryApprovalBackend()
    const { approvalId } = await file(backend, { timeout: 10_000_000, timeoutEffect: 'allow' })
    let isOver = false
    void backend.waitForDecision(approvalId, 10_000_000).then(() => (isOver = true))
    await vi.advanceTimersByTimeAsync(86_400_000)
    expect(isOver).toBe(false)
  })

  it.each([Number.NaN, -1])('refuses a timeout of %s seconds', async (timeout) => {
    const backend = new MemoryApprovalBackend()
    await expect(file(backend, { timeout })).rejects.toThrow(RangeError)
    const { approvalId } = await file(backend)
    await expect(backend.waitForDecision(approvalId, timeout)).rejects.toThrow(RangeError)
    expect(backend.pending()).toHaveLength(1)
  })

  it('drops a request whose caller gives up before waiting', async () => {
    const backend = new MemoryApprovalBackend()
    const controller = new AbortController()
    await file(backend, { signal: controller.signal })
    controller.abort()
    expect(backend.pending()).toEqual([])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('heeds the signal of the request also in a wait that brings none or another', async () => {
    const backend = new MemoryApprovalBackend()
    const controller = new AbortController()
    const other = new AbortController()
    const first = await file(backend, { signal: controller.signal })
    const second = await file(backend, { signal: controller.signal })
    const waits = [
      backend.waitForDecision(first.approvalId, 300),
      backend.waitForDecision(second.approvalId, 300, other.signal),
    ]
    controller.abort(new Error('gave up'))
    const endings = await Promise.allSettled(waits)
    expect(endings.map((ending) => ending.status)).toEqual(['rejected', 'rejected'])
    expect(getEventListeners(other.signal, 'abort')).toEqual([])
  })

  it('tells the application of each request while it is pending', async () => {
    const seen: string[] = []
    const backend = new MemoryApprovalBackend({
      onRequest: (request) => {
        seen.push(request.toolName)
        backend.approve(request.approvalId, { approver: 'carol' })
      },
    })
    const { approvalId } = await file(backend)
    await expect(backend.waitForDecision(approvalId, 300)).resolves.toMatchObject({ approver: 'carol' })
    expect(seen).toEqual(['delete_records'])
  })

  it('does not hold up the request for a listener that takes its time', async () => {
    let answer = (_consent: boolean): void => {}
    const backend = new MemoryApprovalBackend({
      onRequest: async ({ approvalId }) => {
        const consent = await new Promise<boolean>((resolve) => (answer = resolve))
        if (consent) backend.approve(approvalId)
      },
    })
    const { approvalId } = await file(backend)
    const decision = backend.waitForDecision(approvalId, 300)
    answer(true)
    await expect(decision).resolves.toMatchObject({ approved: true })
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('no window')
      },
    ],
    ['rejects', () => Promise.reject(new Error('no window'))],
  ])('fails the wait when the listener %s', async (_how, onRequest) => {
    const backend = new MemoryApprovalBackend({ onRequest })
    const { approvalId } = await file(backend)
    await expect(backend.waitForDecision(approvalId, 300)).rejects.toMatchObject({
      code: 'listener-failed',
      cause: new Error('no window'),
    })
    expect(backend.pending()).toEqual([])
  })

  it('refuses the 10,001st pending request and takes it once another is decided', async () => {
    const backend = new MemoryApprovalBackend()
    const { approvalId } = await file(backend)
    for (let filed = 1; filed < 10_000; filed++) await file(backend)
    await expect(file(backend)).rejects.toMatchObject({ code: 'too-many-pending' })
    backend.deny(approvalId)
    await file(backend)
    expect(backend.pending()).toHaveLength(10_000)
  })

  it('forgets the oldest of more than 10,000 decisions nobody collects', async () => {
    const backend = new MemoryApprovalBackend()
    const ids: string[] = []
    for (let round = 0; round < 10_001; round++) {
      const { approvalId } = await file(backend)
      backend.approve(approvalId)
      ids.push(approvalId)
    }
    await expect(backend.waitForDecision(ids[0] ?? '', 300)).rejects.toThrow(/is not pending/)
    await expect(backend.waitForDecision(ids[1] ?? '', 300)).resolves.toMatchObject({ approved: true })
  })

  it('holds no timer and no listener after 10,000 rounds that end in every way there is', async () => {
    const backend = new MemoryApprovalBackend()
    const shared = new AbortController()
    let leftListeners = 0
    for (let round = 0; round < 10_000; round++) {
      const own = new AbortController()
      const { approvalId } = await file(backend, { signal: shared.signal })
      const ending = backend.waitForDecision(approvalId, 300, own.signal).catch(() => 'cancelled')
      if (round % 4 === 0) backend.approve(approvalId)
      else if (round % 4 === 1) backend.deny(approvalId)
      else if (round % 4 === 2) own.abort()
      else vi.advanceTimersByTime(300_000)
      await ending
      leftListeners += getEventListeners(own.signal, 'abort').length
    }
    expect(leftListeners).toBe(0)
    expect(vi.getTimerCount()).toBe(0)
    expect(getEventListeners(shared.signal, 'abort')).toEqual([])
    expect(backend.pending()).toEqual([])
  })

  it('does not keep the process alive', async () => {
    vi.useRealTimers()
    const before = process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length
    const backend = new MemoryApprovalBackend()
    const { approvalId } = await file(backend)
    const decision = backend.waitForDecision(approvalId, 300)
    const during = process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length
    backend.deny(approvalId)
    await decision
    expect(during).toBe(before)
  })
})
