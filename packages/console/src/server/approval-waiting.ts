// Waiting for a decision without asking again and again: whoever waits is woken by the change, on whatever node it is made.
import type { Database } from '../store/database.js'
import { approvalChanged, type ApprovalStore, type StoredApproval } from '../store/approvals.js'

export interface Waiting {
  readonly tenant: number
  readonly id: string
  readonly milliseconds: number
  readonly signal: AbortSignal
  readonly now: () => number
}

export class ApprovalWaiting {
  readonly #approvals: ApprovalStore
  readonly #wakers = new Map<string, Set<() => void>>()

  constructor(database: Database, approvals: ApprovalStore) {
    this.#approvals = approvals
    database.subscribe((change) => {
      if (change.kind === 'resync') for (const id of this.#wakers.keys()) this.#wake(id)
      else if (change.kind === approvalChanged) this.#wake((change as { subject: string }).subject)
    })
  }

  /** The approval once it is not pending, or as it is when the time is over or the caller gone. */
  async wait({ tenant, id, milliseconds, signal, now }: Waiting): Promise<StoredApproval | undefined> {
    const until = now() + milliseconds
    for (;;) {
      // Listens before it looks: a decision in between is not missed.
      const change = this.#nextChange(id)
      try {
        const approval = await this.#approvals.find(tenant, id, now())
        const left = until - now()
        if (approval?.status !== 'pending' || left <= 0 || signal.aborted) return approval
        await pause(Math.min(left, approval.expiresAt - now()), { change: change.promise, signal })
      } finally {
        change.stop()
      }
    }
  }

  #nextChange(id: string): { readonly promise: Promise<void>; readonly stop: () => void } {
    let waker = (): void => undefined
    const promise = new Promise<void>((resolve) => (waker = resolve))
    const wakers = this.#wakers.get(id) ?? new Set()
    this.#wakers.set(id, wakers.add(waker))
    return {
      promise,
      stop: () => {
        wakers.delete(waker)
        if (wakers.size === 0) this.#wakers.delete(id)
      },
    }
  }

  #wake(id: string): void {
    for (const waker of this.#wakers.get(id) ?? []) waker()
  }
}

async function pause(
  milliseconds: number,
  until: { readonly change: Promise<void>; readonly signal: AbortSignal },
): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  let stop = (): void => undefined
  const over = new Promise<void>((resolve) => {
    stop = resolve
    timer = setTimeout(resolve, Math.max(1, milliseconds))
    until.signal.addEventListener('abort', stop, { once: true })
  })
  await Promise.race([until.change, over])
  clearTimeout(timer)
  until.signal.removeEventListener('abort', stop)
}
