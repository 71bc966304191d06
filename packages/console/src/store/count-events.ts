// Events counted while they are stored, so that statistics never read the events themselves: by minute with their agents,
// and by quarter of an hour without, which is few enough rows to sum up weeks.
import type { Transaction, Value } from './database.js'
import type { Scope } from './scope.js'

export interface CountedEvent {
  readonly occurredAt: number
  readonly agentId: string
  readonly toolName: string
  readonly action: string
  readonly mode: string
  readonly contract: string
}

export const minuteMs = 60_000
export const quarterHourMs = 15 * minuteMs

/** Events that are alike but for their times within one minute. */
interface Group extends CountedEvent {
  readonly minute: number
  events: number
  lastAt: number
}

interface CountTable {
  readonly name: string
  /** What tells the rows apart. */
  readonly columns: readonly string[]
  readonly rowOf: (scope: Scope, group: Group) => readonly Value[]
}

const tables: readonly CountTable[] = [
  {
    name: 'event_counts',
    columns: ['tenant', 'env', 'minute', 'agent_id', 'tool_name', 'action', 'mode', 'contract'],
    rowOf: ({ tenant, env }, { minute, agentId, toolName, action, mode, contract }) => [
      tenant,
      env,
      minute,
      agentId,
      toolName,
      action,
      mode,
      contract,
    ],
  },
  {
    name: 'quarter_hour_counts',
    columns: ['tenant', 'start', 'env', 'tool_name', 'action', 'mode', 'contract'],
    rowOf: ({ tenant, env }, { minute, toolName, action, mode, contract }) => [
      tenant,
      startOf(quarterHourMs, minute),
      env,
      toolName,
      action,
      mode,
      contract,
    ],
  },
]

export async function countEvents(
  transaction: Transaction,
  scope: Scope,
  events: readonly CountedEvent[],
): Promise<void> {
  const groups = groupByMinute(events)
  for (const table of tables) await countInto(transaction, table, { scope, groups })
}

/** There are far fewer groups than events, so the rest of the work is done with them. */
function groupByMinute(events: readonly CountedEvent[]): readonly Group[] {
  const groups = new Map<string, Group>()
  for (const event of events) {
    const { occurredAt, agentId, toolName, action, mode, contract } = event
    const minute = startOf(minuteMs, occurredAt)
    const key = `${minute}\n${agentId}\n${toolName}\n${action}\n${mode}\n${contract}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { ...event, minute, events: 1, lastAt: occurredAt })
    else {
      group.events++
      group.lastAt = Math.max(group.lastAt, occurredAt)
    }
  }
  return [...groups.values()]
}

export async function forgetCounts(transaction: Transaction, tenant: number, cutoff: number): Promise<void> {
  await transaction.run('DELETE FROM event_counts WHERE tenant = ? AND minute < ?', [
    tenant,
    startOf(minuteMs, cutoff),
  ])
  await transaction.run('DELETE FROM quarter_hour_counts WHERE tenant = ? AND start < ?', [
    tenant,
    startOf(quarterHourMs, cutoff),
  ])
}

async function countInto(
  transaction: Transaction,
  { name, columns, rowOf }: CountTable,
  { scope, groups }: { readonly scope: Scope; readonly groups: readonly Group[] },
): Promise<void> {
  const rows = new Map<string, { readonly row: readonly Value[]; events: number; lastAt: number }>()
  for (const group of groups) {
    const row = rowOf(scope, group)
    const key = row.join('\n')
    const known = rows.get(key)
    if (known === undefined) rows.set(key, { row, events: group.events, lastAt: group.lastAt })
    else {
      known.events += group.events
      known.lastAt = Math.max(known.lastAt, group.lastAt)
    }
  }
  // In one order everywhere: two transactions that take the same rows then wait for each other instead of locking up.
  const ordered = [...rows].toSorted(([left], [right]) => (left < right ? -1 : 1))
  await transaction.insert({
    into: `${name} (${columns.join(', ')}, events, last_at)`,
    rows: ordered.map(([, { row, events: count, lastAt }]) => [...row, count, lastAt]),
    then: `ON CONFLICT (${columns.join(', ')}) DO UPDATE SET
      events = ${name}.events + excluded.events,
      last_at = CASE WHEN excluded.last_at > ${name}.last_at THEN excluded.last_at ELSE ${name}.last_at END`,
  })
}

function startOf(stretchMs: number, time: number): number {
  return Math.floor(time / stretchMs) * stretchMs
}
