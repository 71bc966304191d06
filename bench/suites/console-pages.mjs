// @ts-check
// The web page with many events behind it: how long each request of each page takes.
import { figures, formatTime, words } from '../report.mjs'
import { runConsole } from '../running-console.mjs'

const sizes = {
  full: { events: 1_000_000, rounds: 5 },
  quick: { events: 50_000, rounds: 2 },
}
const eventsPerBatch = 5_000
const senders = 2
const agents = 50
const eventsPerSession = 40
const tools = ['read_file', 'write_file', 'deploy', 'search', 'send_mail', 'run_command', 'query', 'fetch']
const contracts = ['no-secrets', 'inside-the-project', 'ask-before-deploys', 'no-deletes']
const weekMs = 7 * 24 * 60 * 60 * 1_000

const bundle = `apiVersion: edictum/v1
kind: ContractBundle
metadata: { name: many }
defaults: { mode: enforce }
contracts:
  - id: no-secrets
    type: pre
    tool: read_file
    when: { args.path: { contains: secret } }
    then: { effect: deny, message: "no" }
  - id: limits
    type: session
    limits: { max_tool_calls: 30, max_attempts: 45 }
    then: { effect: deny, message: "enough" }
`

/** On trial beside it. */
const candidate = bundle
  .replace('name: many }', 'name: stricter }\nobserve_alongside: true')
  .replace('contains: secret', 'contains_any: [secret, token]')

/** @typedef {{ page: string, path: string, body?: object }} PageRequest */

/**
 * A call is two events: decided and, unless it was denied, ended.
 * @param {{ index: number, at: number, policyVersion: string }} options
 */
function makeEvent({ index, at, policyVersion }) {
  const call = Math.floor(index / 2)
  const isEnd = index % 2 === 1
  const isDenied = call % 10 === 0
  const session = Math.floor(index / eventsPerSession)
  // What a candidate says about a call is an event as well.
  const isTrial = isEnd && call % 10 === 5
  const action = isTrial
    ? 'call_would_deny'
    : isEnd
      ? 'call_executed'
      : isDenied
        ? 'call_denied'
        : 'call_allowed'
  return {
    schema_version: '0.3.0',
    timestamp: new Date(at).toISOString(),
    run_id: 'run',
    call_id: `call-${call}`,
    call_index: call,
    session_id: `session-${session}`,
    agent_id: `agent-${session % agents}`,
    tool_name: tools[call % tools.length],
    tool_args: { path: `reports/${index}.txt`, encoding: 'utf8' },
    side_effect: 'read',
    environment: 'production',
    principal: { user_id: `user-${session % 50}`, role: 'analyst' },
    action,
    decision_source: isDenied && !isEnd ? 'yaml_precondition' : null,
    decision_name: isTrial
      ? 'no-secrets:candidate'
      : isDenied && !isEnd
        ? contracts[call % contracts.length]
        : null,
    reason: isDenied && !isEnd ? 'not for agents' : null,
    contracts_evaluated: [{ name: 'no-secrets', type: 'precondition', passed: !isDenied, message: null }],
    duration_ms: 12,
    session_attempt_count: (index % eventsPerSession) / 2,
    session_execution_count: (index % eventsPerSession) / 2,
    waits_ms: isEnd ? { attempt: 1.25, settle: 0.75 } : { attempt: 1.25 },
    mode: isTrial || session % 3 === 0 ? 'observe' : 'enforce',
    policy_version: policyVersion,
  }
}

/**
 * @param {import('../running-console.mjs').ConsoleProcess} server
 * @param {{ events: number, policyVersion: string }} options
 */
async function fill(server, { events, policyVersion }) {
  const now = Date.now()
  let next = 0
  await Promise.all(
    Array.from({ length: senders }, async () => {
      while (next < events) {
        const from = next
        next += eventsPerBatch
        const batch = Array.from({ length: Math.min(eventsPerBatch, events - from) }, (_, offset) =>
          makeEvent({
            index: from + offset,
            at: now - weekMs + Math.floor(((from + offset) / events) * weekMs),
            policyVersion,
          }),
        )
        await server.post('/api/edictum/v1/events', JSON.stringify({ events: batch }))
      }
    }),
  )
}

/**
 * What each page asks when it is opened.
 * @param {{ decision: string, session: string }} known
 * @returns {readonly PageRequest[]}
 */
function listRequests({ decision, session }) {
  const own = '/api/edictum/v1'
  return [
    { page: 'Every page, who is looking', path: `${own}/visitor` },
    ...['1h', '24h', '7d'].map((since) => ({
      page: `Overview, ${since}`,
      path: `${own}/overview?since=${since}`,
    })),
    { page: 'Overview, limits', path: `${own}/session-limits` },
    { page: 'First steps', path: '/api/v1/bundles' },
    { page: 'Approvals', path: `${own}/approvals?status=pending&limit=100` },
    { page: 'Approvals, settled', path: `${own}/approvals?status=settled&limit=25` },
    { page: 'Decisions', path: `${own}/decisions` },
    { page: 'Decisions, what to filter by', path: `${own}/decisions/facets` },
    { page: 'Decisions, by agent', path: `${own}/decisions?agent_id=agent-7` },
    { page: 'Decisions, by tool and verdict', path: `${own}/decisions?tool_name=deploy&action=call_denied` },
    { page: 'Decisions, by contract', path: `${own}/decisions?contract=no-deletes` },
    { page: 'Decisions, by person', path: `${own}/decisions?principal=user-3` },
    { page: 'Decisions, by a text that is nowhere', path: `${own}/decisions?text=nowhere-at-all` },
    { page: 'Decisions, of last week', path: `${own}/decisions?until=6d` },
    { page: 'Decision', path: `${own}/decisions/${decision}` },
    { page: 'Decision, why', path: `${own}/decisions/${decision}/explanation` },
    { page: 'Sessions', path: `${own}/agent-sessions` },
    { page: 'Session', path: `${own}/agent-sessions/${session}` },
    { page: 'Session, limits', path: `${own}/session-limits?session_id=${session}` },
    { page: 'Session, timeline', path: `${own}/decisions?session_id=${session}&limit=200` },
    { page: 'Fleet', path: '/api/v1/agents/status' },
    { page: 'Fleet, coverage', path: '/api/v1/agents/fleet-coverage?since=24h' },
    { page: 'Fleet, rules', path: '/api/v1/assignment-rules' },
    { page: 'Contracts', path: '/api/v1/bundles' },
    { page: 'Contracts, candidates', path: `${own}/candidates?since=7d` },
    { page: 'Contracts, a candidate beside the enforced', path: `${own}/candidates/no-secrets/texts` },
    { page: 'Bundle', path: '/api/v1/bundles/many' },
    { page: 'Bundle, rollout', path: '/api/v1/bundles/many/rollout?env=production' },
    {
      page: 'Playground, replay',
      path: '/api/v1/bundles/replay',
      body: { yaml_content: bundle, limit: 1_000 },
    },
    { page: 'Calibrate', path: `${own}/calibration?since=7d` },
    { page: 'Calibrate, observe mode', path: `${own}/calibration?since=7d&mode=observe` },
    { page: 'Calibrate, one environment', path: `${own}/calibration?since=7d&env=production` },
    { page: 'Keys', path: '/api/v1/keys' },
    { page: 'Notifications', path: '/api/v1/notifications/channels' },
    { page: 'Users', path: '/api/v1/users' },
    { page: 'Operator log', path: '/api/v1/operator-log' },
    { page: 'Settings, how long events are kept', path: '/api/v1/settings/retention' },
    { page: 'Settings', path: '/api/v1/health/details' },
  ]
}

/**
 * @param {string} url
 * @param {{ cookie: string, path: string, body?: object | undefined }} options
 * @returns {Promise<any>}
 */
async function ask(url, { cookie, path, body }) {
  const response = await fetch(url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { Cookie: cookie, 'X-Requested-With': 'bench', 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text.slice(0, 200)}`)
  return JSON.parse(text)
}

/**
 * @param {string} store
 * @param {{ databaseUrl?: string, events: number, rounds: number, announce: (line: string) => void }} options
 */
async function measureStore(store, { databaseUrl, events, rounds, announce }) {
  const server = await runConsole({ connections: 16, ...(databaseUrl === undefined ? {} : { databaseUrl }) })
  try {
    const login = await fetch(server.loginLink, { method: 'POST', redirect: 'manual' })
    const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? ''
    const uploaded = await ask(server.url, {
      cookie,
      path: '/api/v1/bundles',
      body: { yaml_content: bundle },
    })
    await ask(server.url, { cookie, path: '/api/v1/bundles', body: { yaml_content: candidate } })
    await ask(server.url, {
      cookie,
      path: `/api/v1/bundles/many/${uploaded.version}/deploy`,
      body: { env: 'production' },
    })
    announce(`${store}: ${events.toLocaleString('en-US')} events`)
    await fill(server, { events, policyVersion: uploaded.revision_hash })
    const newest = await ask(server.url, {
      cookie,
      path: '/api/edictum/v1/decisions?action=call_denied&limit=1',
    })
    const [{ id, session_id: session }] = newest.decisions
    announce(`${store}: every page`)
    const results = []
    for (const { page, path, body } of listRequests({ decision: id, session })) {
      const times = []
      for (let round = 0; round < rounds; round++) {
        const startedAt = performance.now()
        await ask(server.url, { cookie, path, body })
        times.push((performance.now() - startedAt) * 1e6)
      }
      const sorted = times.toSorted((left, right) => left - right)
      results.push({ page, median: sorted[Math.floor(sorted.length / 2)] ?? 0, slowest: sorted.at(-1) ?? 0 })
    }
    return { store, results }
  } finally {
    await server.stop()
  }
}

/**
 * @param {{ pace: keyof typeof sizes, announce: (line: string) => void }} options
 * @returns {Promise<import('../report.mjs').Report>}
 */
export async function measure({ pace, announce }) {
  const size = sizes[pace]
  const measured = [await measureStore('embedded file', { ...size, announce })]
  const { missingServices, startPostgres } = await import('../../scripts/services.mjs')
  if (!missingServices().includes('postgresql')) {
    const postgres = await startPostgres({ disk: 'wait' })
    try {
      measured.push(await measureStore('PostgreSQL', { ...size, announce, databaseUrl: postgres.url }))
    } finally {
      await postgres.stop()
    }
  }
  const all = measured.flatMap(({ store, results }) => results.map((result) => ({ store, ...result })))
  const worst = all.toSorted((left, right) => right.slowest - left.slowest)[0]
  return {
    title: `Console: its web page with ${size.events.toLocaleString('en-US')} events`,
    intro: [
      `Events of ${agents} agents over seven days, two for each call, ${eventsPerSession} for each session. Each request of ` +
        `each page is made ${size.rounds} times over HTTP, one after the other.`,
    ],
    sections: [
      {
        title: 'One request',
        columns: [
          words('page'),
          ...measured.flatMap(({ store }) => [figures(`${store}, median`), figures('slowest')]),
        ],
        rows: (measured[0]?.results ?? []).map(({ page }, index) => [
          page,
          ...measured.flatMap(({ results }) => [
            formatTime(results[index]?.median ?? Number.NaN),
            formatTime(results[index]?.slowest ?? Number.NaN),
          ]),
        ]),
      },
    ],
    targets: [
      {
        goal: 'every request is answered within a second, also the slowest time',
        measured: `${formatTime(worst?.slowest ?? Number.NaN)} (${worst?.page}, ${worst?.store})`,
        state: (worst?.slowest ?? Number.POSITIVE_INFINITY) <= 1e9 ? 'met' : 'not met',
      },
    ],
    data: { measured },
  }
}
