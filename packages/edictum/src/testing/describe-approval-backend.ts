// What the guard expects of any approval backend, for any test runner that has `describe` and `it`.
import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import type { ApprovalBackend, ApprovalTerms } from '../guard/ports/approval-backend.js'

export interface ApprovalBackendKit {
  readonly describe: (name: string, body: () => void) => void
  readonly it: (name: string, body: () => Promise<void>) => void
  /** A fresh backend, and the person who decides: answers once the request can be decided. */
  readonly open: () => {
    readonly backend: ApprovalBackend
    readonly answer: (approvalId: string, decision: 'approve' | 'deny') => Promise<void>
  }
}

const terms: ApprovalTerms = {
  timeout: 60,
  timeoutEffect: 'deny',
  principal: { user_id: 'alice' },
  metadata: {},
  sessionId: 'session-1',
  argsHash: 'ab'.repeat(32),
}

export function describeApprovalBackend(name: string, { describe, it, open }: ApprovalBackendKit): void {
  const request = async (backend: ApprovalBackend, given: Partial<ApprovalTerms> = {}): Promise<string> => {
    const filed = await backend.requestApproval('delete_records', { table: 'users' }, 'delete?', {
      ...terms,
      ...given,
    })
    return filed.approvalId
  }

  describe(`${name} as an approval backend`, () => {
    it('reports consent as approved', async () => {
      const { backend, answer } = open()
      const id = await request(backend)
      const decision = backend.waitForDecision(id, 60)
      await answer(id, 'approve')
      const { approved, status } = await decision
      assert.deepEqual({ approved, status }, { approved: true, status: 'approved' })
    })

    it('reports refusal as denied', async () => {
      const { backend, answer } = open()
      const id = await request(backend)
      const decision = backend.waitForDecision(id, 60)
      await answer(id, 'deny')
      const { approved, status } = await decision
      assert.deepEqual({ approved, status }, { approved: false, status: 'denied' })
    })

    for (const timeoutEffect of ['deny', 'allow'] as const) {
      it(`reports a timeout as one and follows the effect ${timeoutEffect}`, async () => {
        const { backend } = open()
        const id = await request(backend, { timeoutEffect })
        const { approved, status } = await backend.waitForDecision(id, 0.01)
        assert.deepEqual({ approved, status }, { approved: timeoutEffect === 'allow', status: 'timeout' })
      })
    }

    it('gives each of several requests its own decision', async () => {
      const { backend, answer } = open()
      const first = await request(backend)
      const second = await request(backend)
      assert.notEqual(first, second)
      const decisions = [backend.waitForDecision(first, 60), backend.waitForDecision(second, 60)]
      await answer(first, 'deny')
      await answer(second, 'approve')
      const answers = await Promise.all(decisions)
      assert.deepEqual(
        answers.map((decision) => decision.approved),
        [false, true],
      )
    })

    it('hands out a decision once', async () => {
      const { backend, answer } = open()
      const id = await request(backend)
      const decision = backend.waitForDecision(id, 60)
      await answer(id, 'approve')
      await decision
      await assert.rejects(async () => backend.waitForDecision(id, 60))
    })

    it('rejects a wait for a request it does not know', async () => {
      await assert.rejects(async () => open().backend.waitForDecision('no-such-approval', 60))
    })

    it('stops waiting when the caller gives up and lets go of its signal', async () => {
      const { backend } = open()
      const controller = new AbortController()
      const { signal } = controller
      const id = await request(backend, { signal })
      const decision = backend.waitForDecision(id, 60, signal)
      controller.abort(new Error('the caller gave up'))
      await assert.rejects(decision, /the caller gave up/)
      assert.equal(getEventListeners(signal, 'abort').length, 0)
      await assert.rejects(async () => backend.waitForDecision(id, 60))
    })

    it('lets go of the signal when a decision is made', async () => {
      const { backend, answer } = open()
      const { signal } = new AbortController()
      const id = await request(backend, { signal })
      const decision = backend.waitForDecision(id, 60, signal)
      await answer(id, 'approve')
      await decision
      assert.equal(getEventListeners(signal, 'abort').length, 0)
    })

    it('asks nobody for a caller who has given up already', async () => {
      const { backend } = open()
      const signal = AbortSignal.abort(new Error('the caller gave up'))
      await assert.rejects(async () => request(backend, { signal }), /the caller gave up/)
    })
  })
}
