// All agents on streams of this node.
import { approvalDecidedEvent } from '../../protocol/streams.js'
import type { StoredApproval } from '../../store/approvals.js'
import { toFirstGeneration, toSecondGeneration } from '../approval-shapes.js'
import type { FleetState } from '../fleet/resolve-bundle.js'
import type { Services } from '../services.js'
import { AgentConnection, type AgentConnectionParts } from './agent-connection.js'
import { watchApprovals } from './approval-watch.js'

type Needed = Pick<Services, 'fleet' | 'sightings' | 'metrics' | 'store' | 'now' | 'stopping'>

/** Below what the strictest client takes for a dead connection. */
const pingMs = 10_000

export class AgentStreams {
  readonly #services: Needed
  readonly #connections = new Map<number, Set<AgentConnection>>()

  constructor(services: Needed) {
    this.#services = services
    services.fleet.listen((tenant, state) => this.#updateAll(tenant, state))
    services.metrics.gauge('edictum_agent_streams', 'Agents on streams.', () => this.size)
    watchApprovals(services, {
      isWatched: (tenant) => this.#connections.has(tenant),
      onChange: (approval) => this.#tellOwner(approval),
    })
    const timer = setInterval(() => this.#ping(), pingMs)
    timer.unref()
    services.stopping.addEventListener('abort', () => clearInterval(timer))
  }

  get size(): number {
    let size = 0
    for (const connections of this.#connections.values()) size += connections.size
    return size
  }

  /** From now on the connection hears of everything; what it does not know yet it is told when this resolves. */
  async add(parts: AgentConnectionParts): Promise<void> {
    const { tenant, stream } = parts
    const connection = new AgentConnection(parts)
    const connections = this.#connections.get(tenant) ?? new Set<AgentConnection>()
    this.#connections.set(tenant, connections.add(connection))
    stream.whenClosed(() => this.#remove(connection))
    this.#see(connection, 'open')
    connection.update(await this.#services.fleet.get(tenant))
  }

  #remove(connection: AgentConnection): void {
    const { tenant } = connection.parts
    const connections = this.#connections.get(tenant)
    connections?.delete(connection)
    if (connections?.size === 0) this.#connections.delete(tenant)
    this.#see(connection, 'closed')
  }

  #updateAll(tenant: number, state: FleetState): void {
    for (const connection of this.#connections.get(tenant) ?? []) connection.update(state)
  }

  #ping(): void {
    const now = this.#services.now()
    for (const connections of this.#connections.values())
      for (const connection of connections) {
        const { stream, keyExpiresAt } = connection.parts
        if (keyExpiresAt !== null && keyExpiresAt <= now) stream.abort()
        else stream.ping()
        this.#see(connection, 'open')
      }
  }

  #see({ parts }: AgentConnection, stream: 'open' | 'closed'): void {
    const { tenant, env, agentId } = parts
    // A client that does not say who it is has nothing to be seen by.
    if (agentId.startsWith('key:')) return
    this.#services.sightings.note({ tenant, env, agentId, at: this.#services.now(), stream })
  }

  /** Nobody but the agent that asked learns what was decided. */
  #tellOwner(approval: StoredApproval): void {
    for (const { parts } of this.#connections.get(approval.tenant) ?? []) {
      const { agentId, keyId, env, kind, stream } = parts
      if (agentId !== approval.agentId || keyId !== approval.keyId || env !== approval.env) continue
      if (kind === 'own') {
        if (approval.status !== 'pending')
          stream.send(approvalDecidedEvent, { approval_id: approval.id, status: approval.status })
        continue
      }
      const { type, ...data } = describeApproval(approval, kind)
      stream.send(type, { type, ...data })
    }
  }
}

/** As published clients and dashboards know it. */
export function describeApproval(
  approval: StoredApproval,
  kind: 'first-generation' | 'second-generation',
): { readonly type: string; readonly [field: string]: unknown } {
  const { id, agentId, toolName, message, decidedBy } = approval
  const about = { approval_id: id, agent_id: agentId, tool_name: toolName }
  switch (approval.status) {
    case 'pending':
      return { type: 'approval_created', ...about, message }
    case 'timeout':
      return { type: 'approval_timeout', ...about }
    case 'approved':
    case 'denied':
    case 'cancelled': {
      const render = kind === 'first-generation' ? toFirstGeneration : toSecondGeneration
      const { status } = render(approval) as { readonly status: string }
      return { type: 'approval_decided', ...about, status, decided_by: decidedBy }
    }
  }
}
