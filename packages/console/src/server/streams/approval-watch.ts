// Approvals as they change, and as they run out of time: nobody announces that, so it is waited for.
import { approvalChanged, type StoredApproval } from '../../store/approvals.js'
import type { Change } from '../../store/database.js'
import type { Services } from '../services.js'

interface Watch {
  /** Whether anybody is there to be told. */
  readonly isWatched: (tenant: number) => boolean
  readonly onChange: (approval: StoredApproval) => void
}

export function watchApprovals(
  { store, now, stopping }: Pick<Services, 'store' | 'now' | 'stopping'>,
  { isWatched, onChange }: Watch,
): void {
  const timers = new Map<string, NodeJS.Timeout>()

  async function look(tenant: number, id: string): Promise<void> {
    clearTimeout(timers.get(id))
    timers.delete(id)
    if (stopping.aborted || !isWatched(tenant)) return
    const approval = await store.approvals.find(tenant, id, now())
    if (approval === undefined) return
    onChange(approval)
    if (approval.status !== 'pending') return
    const timer = setTimeout(() => void lookSafely(tenant, id), Math.max(1, approval.expiresAt - now()))
    timer.unref()
    timers.set(id, timer)
  }

  /** Streams only hasten what their listeners can also ask for; a database that is away is no reason to fail. */
  function lookSafely(tenant: number, id: string): Promise<void> {
    return look(tenant, id).catch(() => undefined)
  }

  const unsubscribe = store.database.subscribe((change) => {
    if (change.kind !== approvalChanged) return
    const { tenant, subject } = change as Change
    void lookSafely(tenant, subject)
  })
  stopping.addEventListener('abort', () => {
    unsubscribe()
    for (const timer of timers.values()) clearTimeout(timer)
  })
}
