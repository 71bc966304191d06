// Sees what people should hear of, writes it down once for all nodes, and sends it until it has arrived or there is no
// point any more.
import { compileToolPattern } from 'edictum'
import type { NotificationFilters } from '../../protocol/notifications.js'
import { approvalChanged, type StoredApproval } from '../../store/approvals.js'
import type { Change } from '../../store/database.js'
import { type Channel, type Delivery, enqueueDelivery } from '../../store/notifications.js'
import type { Services } from '../services.js'
import { type ChannelConfig, describeApproval, signatureHeaders, writeBody } from './message.js'
import { postSafely } from './safe-post.js'

const lookMs = 1_000
const claimMs = 60_000
const mostAtOnce = 8
/** Seconds until the next attempt; after the last one it is given up. */
const delays = [1, 5, 30, 120, 600, 1_800, 7_200]
const keepMs = 30 * 24 * 60 * 60 * 1_000
/** What was decided longer ago than this is no news after a restart. */
const newsMs = 60 * 60 * 1_000

export class Notifier {
  readonly #services: Services
  #isSending = false
  #cleanedAt = 0

  constructor(services: Services) {
    this.#services = services
    const unsubscribe = services.store.database.subscribe((change) => {
      if (change.kind === 'resync') void this.#safely(() => this.#catchUp())
      if (change.kind !== approvalChanged) return
      const { tenant, subject } = change as Change
      void this.#safely(() => this.#enqueueById(tenant, subject))
    })
    const timer = setInterval(() => this.#look(), lookMs)
    timer.unref()
    services.stopping.addEventListener('abort', () => {
      unsubscribe()
      clearInterval(timer)
    })
    void this.#safely(() => this.#catchUp())
  }

  /** What may have happened while nobody looked. */
  async #catchUp(): Promise<void> {
    const { store, now } = this.#services
    for (const { id: tenant } of await store.tenants.list()) {
      if ((await store.notifications.listChannels(tenant)).length === 0) continue
      const page = { limit: 1_000, offset: 0, now: now() }
      for (const approval of await store.approvals.list({ tenant }, page))
        if (approval.status === 'pending' || (approval.decidedAt ?? 0) > now() - newsMs)
          await this.#enqueue(approval)
    }
  }

  async #enqueueById(tenant: number, id: string): Promise<void> {
    const { store, now } = this.#services
    const approval = await store.approvals.find(tenant, id, now())
    if (approval !== undefined) await this.#enqueue(approval)
  }

  async #enqueue(approval: StoredApproval): Promise<void> {
    const { store, baseUrl, now } = this.#services
    // What nobody decided is seen at its deadline, without a word.
    if (approval.status === 'timeout' || approval.status === 'cancelled') return
    const channels = (await store.notifications.listChannels(approval.tenant)).filter(
      ({ isEnabled, createdAt, filters }) =>
        isEnabled && createdAt <= approval.createdAt && passes(filters, approval),
    )
    if (channels.length === 0) return
    const { publicId } = await store.tenants.find(approval.tenant)
    const message = describeApproval(approval, { tenantId: publicId, baseUrl })
    await store.database.transaction(async (transaction) => {
      for (const channel of channels)
        await enqueueDelivery(transaction, {
          tenant: approval.tenant,
          channelId: channel.id,
          event: message.event,
          subject: approval.id,
          body: writeBody(channel.type, message),
          createdAt: now(),
        })
    })
    this.#look()
  }

  #look(): void {
    if (this.#isSending) return
    this.#isSending = true
    void this.#safely(() => this.#sendDue()).finally(() => (this.#isSending = false))
  }

  async #sendDue(): Promise<void> {
    const { store, now, stopping } = this.#services
    while (!stopping.aborted) {
      const due = await store.notifications.claim(now(), now() + claimMs, mostAtOnce)
      if (due.length === 0) break
      await Promise.all(due.map((delivery) => this.#send(delivery)))
    }
    if (now() - this.#cleanedAt < claimMs * 60) return
    this.#cleanedAt = now()
    await store.notifications.removeBefore(now() - keepMs)
  }

  async #send(delivery: Delivery): Promise<void> {
    const { store, now, metrics } = this.#services
    const channel = await store.notifications.findChannel(delivery.tenant, delivery.channelId)
    const detail =
      channel?.isEnabled === true ? await this.deliver(channel, delivery) : 'the channel is switched off'
    const delaySeconds = channel?.isEnabled === true ? delays[delivery.attempts - 1] : undefined
    const status = detail === undefined ? 'delivered' : delaySeconds === undefined ? 'failed' : 'waiting'
    metrics.count('edictum_notifications_total', {
      help: 'Notifications sent.',
      labels: `outcome="${status}"`,
    })
    await store.notifications.recordOutcome(delivery.id, {
      status,
      nextAt: now() + (delaySeconds ?? 0) * 1_000,
      detail: detail ?? null,
      deliveredAt: status === 'delivered' ? now() : null,
    })
  }

  /** Undefined when it arrived, otherwise why it did not. */
  async deliver(channel: Channel, { id, body }: Pick<Delivery, 'id' | 'body'>): Promise<string | undefined> {
    const { sealer, options, now, stopping } = this.#services
    try {
      const config = JSON.parse(sealer.open(channel.config)) as ChannelConfig
      const { status, text } = await postSafely({
        url: config.url,
        body,
        headers: signatureHeaders(config, { body, id, now: now() }),
        allowedHosts: options.webhookHosts ?? [],
        signal: stopping,
      })
      return status >= 200 && status < 300
        ? undefined
        : `answered ${status} ${text.replaceAll('\0', '')}`.trim()
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }

  #safely(work: () => Promise<void>): Promise<void> {
    return work().catch((error: unknown) => {
      // What is written down stays; the next look goes on with it.
      if (!this.#services.stopping.aborted)
        this.#services.log('warn', 'notifications are late', { error: String(error) })
    })
  }
}

/** One of each list that is there. */
function passes(filters: NotificationFilters, approval: StoredApproval): boolean {
  const isOneOf = (patterns: readonly string[] | undefined, name: string): boolean =>
    patterns === undefined ||
    patterns.length === 0 ||
    patterns.some((pattern) => compileToolPattern(pattern)(name))
  return (
    isOneOf(filters.environments, approval.env) &&
    isOneOf(filters.agent_patterns, approval.agentId) &&
    isOneOf(filters.contract_names, approval.contractName ?? '')
  )
}
