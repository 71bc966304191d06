// Consent of a person: asked for by agents, decided by people or by programs that speak for them, bound to exactly the
// arguments that were shown.
import { createHash } from 'node:crypto'
import type { ApprovalCreate } from '../protocol/approvals.js'
import { protocolPrefix } from '../protocol/version.js'
import {
  createApproval,
  type Decision,
  decideApproval,
  findApproval,
  type NewApproval,
  type StoredApproval,
} from '../store/approvals.js'
import { canonicalJson } from '../store/canonical-json.js'
import type { KeyScope } from '../store/keys.js'
import { recordAction } from '../store/operator-log.js'
import { statusWords, toApproval, toFirstGeneration, toSecondGeneration } from './approval-shapes.js'
import { ApprovalWaiting } from './approval-waiting.js'
import { actorOf } from './auth/actor.js'
import { approvers, viewers } from './auth/roles.js'
import { changeOnce } from './idempotency.js'
import { notFound, Problem } from './routing/problem.js'
import {
  type Answer,
  type Call,
  type Caller,
  created,
  type KeyCaller,
  keyRoute,
  ok,
  type Route,
  sharedRoute,
  userRoute,
} from './routing/route.js'
import type { Schema } from './routing/schema-check.js'
import type { Services } from './services.js'

const tag = 'approvals'
/** Shorter than what clients and proxies wait for an answer. */
const longestWaitSeconds = 25

const nullableText: Schema = { type: ['string', 'null'], maxLength: 10_000 }
const shared = {
  agent_id: nullableText,
  tool_name: { type: 'string', minLength: 1, maxLength: 10_000 },
  tool_args: { type: ['object', 'null'] },
  message: { type: 'string', maxLength: 10_000 },
  timeout: { type: 'number', exclusiveMinimum: 0, maximum: 604_800 },
  session_id: nullableText,
  decision_source: nullableText,
}
const effect: Schema = { enum: ['deny', 'block', 'allow'] }

interface PublishedCreate {
  readonly tool_name: string
  readonly tool_args?: Readonly<Record<string, unknown>> | null
  readonly message: string
  readonly timeout?: number
  readonly timeout_effect?: string
  readonly timeout_action?: string
  readonly session_id?: string | null
  readonly decision_source?: string | null
  readonly contract_name?: string | null
  readonly rule_name?: string | null
}

interface DecideBody {
  readonly decision: 'approved' | 'denied' | 'rejected'
  readonly args_hash?: string
  readonly reason?: string | null
  readonly decided_by?: string
  readonly decided_via?: string
}

interface ListQuery {
  readonly status?: string
  readonly agent_id?: string
  readonly session_id?: string
  readonly env?: string
  readonly limit: number
  readonly offset: number
}

type Render = (approval: StoredApproval) => object

const agentScopes: readonly KeyScope[] = ['agent']
const readers = { scopes: ['agent', 'read', 'approve'], roles: viewers } as const
const deciders = { scopes: ['approve'], roles: approvers } as const

export function approvalRoutes(services: Services): readonly Route[] {
  const waiting = new ApprovalWaiting(services.store.database, services.store.approvals)
  return [
    ...ownRoutes(services, waiting),
    createRoute(services, '/api/v1/approvals', toFirstGeneration),
    readRoute(services, '/api/v1/approvals/{id}', toFirstGeneration),
    listRoute(services, '/api/v1/approvals', (approvals) => ok(approvals.map(toFirstGeneration))),
    userRoute<{ approved: boolean; reason?: string | null; decided_via?: string; args_hash?: string }>(
      approvers,
      {
        method: 'PUT',
        path: '/api/v1/approvals/{id}',
        summary: 'Decide',
        tag,
        body: {
          type: 'object',
          required: ['approved'],
          properties: {
            approved: { type: 'boolean' },
            reason: { type: ['string', 'null'], maxLength: 2_000 },
            decided_via: { type: 'string', maxLength: 64 },
            args_hash: { type: 'string', maxLength: 128 },
          },
        },
        answers: decisionAnswers,
        handle: async (call) => {
          const { approved, ...rest } = call.body
          const body: DecideBody = { ...rest, decision: approved ? 'approved' : 'denied' }
          return ok(toFirstGeneration(await decide(services, { ...call, body })))
        },
      },
    ),
    createRoute(services, '/v1/approvals', toSecondGeneration),
    readRoute(services, '/v1/approvals/{id}', toSecondGeneration),
    listRoute(services, '/v1/approvals', (approvals) => ok({ approvals: approvals.map(toSecondGeneration) })),
    decideRoute(services, '/v1/approvals/{id}/decide', toSecondGeneration),
  ]
}

function ownRoutes(services: Services, waiting: ApprovalWaiting): readonly Route[] {
  const path = `${protocolPrefix}/approvals`
  return [
    keyRoute<ApprovalCreate>(agentScopes, {
      method: 'POST',
      path,
      summary: 'Ask for consent',
      tag,
      body: {
        type: 'object',
        required: ['tool_name', 'tool_args', 'message', 'timeout', 'timeout_effect', 'args_hash'],
        properties: {
          ...shared,
          tool_args: { type: 'object' },
          timeout_effect: { enum: ['deny', 'allow'] },
          args_hash: { type: 'string', minLength: 1, maxLength: 128, pattern: '^[A-Za-z0-9_-]+$' },
          principal: { type: ['object', 'null'] },
          metadata: { type: 'object' },
          contract_name: nullableText,
        },
      },
      answers: { 201: { description: 'a person is asked' } },
      handle: async (call) => {
        const { body } = call
        const approval = {
          ...requestFrom(call, body),
          argsHash: body.args_hash,
          timeoutEffect: body.timeout_effect,
          principal:
            body.principal === undefined || body.principal === null ? null : JSON.stringify(body.principal),
          metadata: JSON.stringify(body.metadata ?? {}),
        }
        return created(toApproval(await create(services, call, approval)))
      },
    }),
    sharedRoute<undefined, { wait: number }>(readers, {
      method: 'GET',
      path: `${path}/{id}`,
      summary: 'Read an approval, or wait until it is decided',
      tag,
      query: {
        type: 'object',
        properties: { wait: { type: 'number', minimum: 0, maximum: longestWaitSeconds, default: 0 } },
      },
      answers: { 200: { description: 'as it is now' }, 404: { description: 'not yours, or not there' } },
      handle: (call) => answerWhenDecided(services, waiting, call),
    }),
    keyRoute(agentScopes, {
      method: 'POST',
      path: `${path}/{id}/cancel`,
      summary: 'Nobody waits for this approval any more',
      tag,
      answers: decisionAnswers,
      handle: async (call) => {
        const { id } = await findOwn(services, call)
        const decision = { ...decisionOf(call, id), status: 'cancelled', by: call.caller.agentId } as const
        return ok(
          toApproval(
            await services.store.database.transaction((transaction) => decideApproval(transaction, decision)),
          ),
        )
      },
    }),
    decideRoute(services, `${path}/{id}/decide`, toApproval),
  ]
}

const decisionAnswers = {
  200: { description: 'it is decided' },
  409: { description: 'not pending: decided before, expired, or not there' },
}

function createRoute(services: Services, path: string, render: Render): Route {
  return keyRoute<PublishedCreate>(agentScopes, {
    method: 'POST',
    path,
    summary: 'Ask for consent',
    tag,
    body: {
      type: 'object',
      required: ['tool_name', 'message'],
      properties: {
        ...shared,
        timeout_effect: effect,
        timeout_action: effect,
        contract_name: nullableText,
        rule_name: nullableText,
      },
    },
    answers: { 201: { description: 'a person is asked' } },
    handle: async (call) => {
      const { body } = call
      const approval: NewApproval = {
        ...requestFrom(call, { ...body, contract_name: body.contract_name ?? body.rule_name ?? null }),
        timeoutEffect: (body.timeout_effect ?? body.timeout_action) === 'allow' ? 'allow' : 'deny',
        principal: null,
        metadata: '{}',
      }
      return created(render(await create(services, call, approval)))
    },
  })
}

function requestFrom(
  { caller, now }: Call<unknown, unknown, KeyCaller>,
  body: PublishedCreate,
): Omit<NewApproval, 'timeoutEffect' | 'principal' | 'metadata'> {
  const toolArgs = canonicalJson(body.tool_args ?? {})
  return {
    tenant: caller.tenant,
    env: caller.key.env,
    keyId: caller.key.id,
    agentId: caller.agentId,
    toolName: storable(body.tool_name),
    toolArgs,
    // As the library computes it for a call.
    argsHash: createHash('sha256')
      .update(`${JSON.stringify(body.tool_name)} ${toolArgs}`)
      .digest('hex'),
    message: storable(body.message),
    timeoutSeconds: body.timeout ?? 300,
    sessionId: body.session_id === undefined || body.session_id === null ? null : storable(body.session_id),
    decisionSource: body.decision_source ?? null,
    contractName: body.contract_name ?? null,
    createdAt: now,
  }
}

/** PostgreSQL has no texts with this character. */
function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD')
}

function create(
  services: Services,
  call: Call<unknown, unknown, KeyCaller>,
  approval: NewApproval,
): Promise<StoredApproval> {
  const collapseMs = services.options.collapseApprovalsSeconds * 1_000
  return services.store.database.transaction((transaction) =>
    changeOnce(transaction, call, () => createApproval(transaction, approval, collapseMs)),
  )
}

function readRoute(services: Services, path: string, render: Render): Route {
  return sharedRoute(readers, {
    method: 'GET',
    path,
    summary: 'Read an approval',
    tag,
    answers: { 200: { description: 'as it is now' }, 404: { description: 'not yours, or not there' } },
    handle: async (call) => ok(render(await findOwn(services, call))),
  })
}

function listRoute(
  services: Services,
  path: string,
  render: (approvals: readonly StoredApproval[]) => Answer,
): Route {
  return sharedRoute<undefined, ListQuery>(
    { scopes: ['agent', 'read', 'approve'], roles: viewers },
    {
      method: 'GET',
      path,
      summary: 'Approvals, newest first',
      tag,
      query: {
        type: 'object',
        properties: {
          status: { enum: Object.keys(statusWords) },
          agent_id: { type: 'string', maxLength: 10_000 },
          session_id: { type: 'string', maxLength: 10_000 },
          env: { type: 'string', maxLength: 128 },
          limit: { type: 'integer', minimum: 1, maximum: 1_000, default: 100 },
          offset: { type: 'integer', minimum: 0, maximum: 1_000_000, default: 0 },
        },
      },
      answers: { 200: { description: 'a page' } },
      handle: async ({ caller, query, now }) => {
        const { status, agent_id: agentId, session_id: sessionId, limit, offset } = query
        const filter = {
          tenant: caller.tenant,
          env: caller.kind === 'key' ? caller.key.env : query.env,
          // What an agent asks about is its own business.
          keyId: caller.kind === 'key' && !seesAll(caller) ? caller.key.id : undefined,
          agentId,
          sessionId,
          status: status === undefined ? undefined : statusWords[status],
        }
        return render(await services.store.approvals.list(filter, { limit, offset, now }))
      },
    },
  )
}

function decideRoute(services: Services, path: string, render: Render): Route {
  return sharedRoute<DecideBody>(deciders, {
    method: 'POST',
    path,
    summary: 'Decide',
    tag,
    body: {
      type: 'object',
      required: ['decision'],
      properties: {
        decision: { enum: ['approved', 'denied', 'rejected'] },
        args_hash: { type: 'string', maxLength: 128 },
        reason: { type: ['string', 'null'], maxLength: 2_000 },
        decided_by: { type: 'string', maxLength: 200 },
        decided_via: { type: 'string', maxLength: 64 },
      },
    },
    answers: decisionAnswers,
    handle: async (call) => ok(render(await decide(services, call))),
  })
}

async function decide(services: Services, call: Call<DecideBody, unknown, Caller>): Promise<StoredApproval> {
  const { caller, body, now } = call
  return services.store.database.transaction(async (transaction) => {
    const approval = await findApproval(transaction, {
      tenant: caller.tenant,
      id: call.params['id'] ?? '',
      now,
    })
    if (approval !== undefined) checkDecider(caller, approval)
    if (approval !== undefined && body.args_hash !== undefined && body.args_hash !== approval.argsHash)
      throw new Problem(409, 'conflict', { detail: 'the arguments are not those the decision was made for' })
    const decision = {
      ...decisionOf(call, call.params['id'] ?? ''),
      status: body.decision === 'approved' ? 'approved' : 'denied',
      reason: body.reason === undefined || body.reason === null ? null : storable(body.reason),
      by: deciderName(caller, body),
      via: storable(body.decided_via ?? (caller.kind === 'key' ? 'api' : 'console')),
    } as const
    const decided = await decideApproval(transaction, decision)
    await recordAction(transaction, {
      tenant: caller.tenant,
      at: now,
      actor: actorOf(caller),
      action: `approval.${decided.status}`,
      subject: decided.id,
      detail: { tool_name: decided.toolName, agent_id: decided.agentId, args_hash: decided.argsHash },
    })
    return decided
  })
}

/** Whoever asks does not answer, and a key decides in its own environment. */
function checkDecider(caller: Caller, approval: StoredApproval): void {
  if (caller.kind !== 'key') return
  if (caller.key.env !== approval.env) throw notFound('approval')
  if (caller.key.id === approval.keyId)
    throw new Problem(403, 'forbidden', { detail: 'the key that asked cannot decide' })
}

/** A program may say for whom it speaks; that it was the program stays visible. */
function deciderName(caller: Caller, { decided_by: claimed }: DecideBody): string {
  const actor = actorOf(caller)
  return caller.kind === 'key' && claimed !== undefined && claimed !== ''
    ? `${storable(claimed)} (${actor})`
    : actor
}

function decisionOf(
  { caller, now }: Call<unknown, unknown, Caller>,
  id: string,
): Pick<Decision, 'tenant' | 'id' | 'via' | 'reason' | 'now'> {
  return { tenant: caller.tenant, id, via: 'api', reason: null, now }
}

async function answerWhenDecided(
  services: Services,
  waiting: ApprovalWaiting,
  call: Call<unknown, { wait: number }, Caller>,
): Promise<Answer> {
  const approval = await findOwn(services, call)
  const milliseconds = call.query.wait * 1_000
  if (approval.status !== 'pending' || milliseconds === 0) return ok(toApproval(approval))
  const owner = call.caller.kind === 'key' ? call.caller.key.id : call.caller.user.id
  const release = services.sockets.hold({ socket: call.context.env.incoming.socket, owner })
  try {
    const { tenant, id } = approval
    const signal = call.signal()
    const decided = await waiting.wait({ tenant, id, milliseconds, signal, now: services.now })
    return ok(toApproval(decided ?? approval))
  } finally {
    release()
  }
}

/** @throws Problem 404 for what is not there and for what is not the caller's alike. */
async function findOwn(services: Services, call: Call<unknown, unknown, Caller>): Promise<StoredApproval> {
  const { caller, params, now } = call
  const approval = await services.store.approvals.find(caller.tenant, params['id'] ?? '', now)
  if (approval === undefined || !isOwn(caller, approval)) throw notFound('approval')
  return approval
}

function isOwn(caller: Caller, approval: StoredApproval): boolean {
  if (caller.kind === 'user') return true
  if (caller.key.env !== approval.env) return false
  return seesAll(caller) || caller.key.id === approval.keyId || caller.agentId === approval.agentId
}

function seesAll({ key }: KeyCaller): boolean {
  return key.scopes.includes('read') || key.scopes.includes('approve')
}
