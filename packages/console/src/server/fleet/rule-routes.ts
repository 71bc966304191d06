// Rules that give agents their bundle by id and tags.
import {
  type AssignmentRule,
  changeRule,
  createRule,
  removeRule,
  type Tags,
} from '../../store/assignments.js'
import { recordAction } from '../../store/operator-log.js'
import type { Transaction } from '../../store/database.js'
import { publishers, viewers } from '../auth/roles.js'
import { identifierPattern } from '../bundles/upload.js'
import { notFound, Problem } from '../routing/problem.js'
import { type Call, created, ok, type Route, type UserCaller, userRoute } from '../routing/route.js'
import type { Schema } from '../routing/schema-check.js'
import type { Services } from '../services.js'
import { requireBundle, tagsSchema } from './registration-routes.js'
import { resolveBundle } from './resolve-bundle.js'

const tag = 'assignment rules'
const path = '/api/v1/assignment-rules'
const identifier: Schema = { type: 'string', pattern: identifierPattern }
const properties: Schema = {
  priority: { type: 'integer', minimum: 0, maximum: 1_000_000_000 },
  pattern: { type: 'string' },
  tag_match: { anyOf: [{ type: 'null' }, tagsSchema] },
  bundle_name: identifier,
  env: identifier,
}

interface RuleBody {
  readonly priority: number
  readonly pattern: string
  readonly tag_match?: Tags | null
  readonly bundle_name: string
  readonly env: string
}

export function ruleRoutes(services: Services): readonly Route[] {
  const { database, assignments } = services.store
  return [
    userRoute(viewers, {
      method: 'GET',
      path,
      summary: 'Rules in the order they are asked',
      tag,
      answers: { 200: { description: 'rules' } },
      handle: async ({ caller }) => ok((await assignments.listRules(caller.tenant)).map(toWire)),
    }),
    userRoute<RuleBody>(publishers, {
      method: 'POST',
      path,
      summary: 'Add a rule; agents it concerns are told',
      tag,
      body: { type: 'object', required: ['priority', 'pattern', 'bundle_name', 'env'], properties },
      answers: { 201: { description: 'the rule' }, 409: { description: 'the priority is taken' } },
      handle: async (call) => {
        const { caller, body, now } = call
        requirePattern(body.pattern)
        await requireBundle(services, caller.tenant, body.bundle_name)
        const rule = await database.transaction(async (transaction) => {
          const { priority, pattern, env } = body
          const fields = {
            priority,
            pattern,
            env,
            bundleName: body.bundle_name,
            tagMatch: body.tag_match ?? null,
          }
          const made = await createRule(transaction, caller.tenant, { fields, now })
          await record(transaction, call, { action: 'assignment-rule.create', id: made.id })
          return made
        })
        return created(toWire(rule))
      },
    }),
    userRoute<undefined, { env: string; bundle_name?: string }>(viewers, {
      method: 'GET',
      path: `${path}/resolve/{agent_id}`,
      summary: 'Which bundle an agent would get, and why',
      tag,
      query: { type: 'object', required: ['env'], properties: { env: identifier, bundle_name: identifier } },
      answers: { 200: { description: 'the bundle and where it comes from' } },
      handle: async ({ caller, params, query }) => {
        const state = await services.fleet.read(caller.tenant)
        const agentId = params['agent_id'] ?? ''
        const resolution = resolveBundle(state, {
          agentId,
          env: query.env,
          provided: query.bundle_name ?? null,
        })
        return ok({
          bundle_name: resolution.bundleName,
          source: resolution.source,
          rule_id: resolution.rule?.id ?? null,
          rule_pattern: resolution.rule?.pattern ?? null,
        })
      },
    }),
    userRoute<Partial<RuleBody>>(publishers, {
      method: 'PATCH',
      path: `${path}/{id}`,
      summary: 'Change a rule; agents it concerns are told',
      tag,
      body: { type: 'object', minProperties: 1, properties },
      answers: { 200: { description: 'the rule' }, 409: { description: 'the priority is taken' } },
      handle: async (call) => {
        const { caller, params, body } = call
        if (body.pattern !== undefined) requirePattern(body.pattern)
        if (body.bundle_name !== undefined) await requireBundle(services, caller.tenant, body.bundle_name)
        const { priority, pattern, env, bundle_name: bundleName, tag_match: tagMatch } = body
        const given = Object.entries({ priority, pattern, env, bundleName, tagMatch })
        const fields = Object.fromEntries(given.filter(([, value]) => value !== undefined))
        const rule = await database.transaction(async (transaction) => {
          const id = params['id'] ?? ''
          const changed = await changeRule(transaction, caller.tenant, { id, fields })
          if (changed !== undefined) await record(transaction, call, { action: 'assignment-rule.change', id })
          return changed
        })
        if (rule === undefined) throw notFound('assignment rule')
        return ok(toWire(rule))
      },
    }),
    userRoute(publishers, {
      method: 'DELETE',
      path: `${path}/{id}`,
      summary: 'Remove a rule; agents it concerned are told',
      tag,
      answers: { 200: { description: 'it is gone' } },
      handle: async (call) => {
        const id = call.params['id'] ?? ''
        const isRemoved = await database.transaction(async (transaction) => {
          const removed = await removeRule(transaction, call.caller.tenant, id)
          if (removed) await record(transaction, call, { action: 'assignment-rule.remove', id })
          return removed
        })
        if (!isRemoved) throw notFound('assignment rule')
        return ok({ removed: true })
      },
    }),
  ]
}

function record(
  transaction: Transaction,
  { caller, now, body }: Call<unknown, unknown, UserCaller>,
  { action, id }: { readonly action: string; readonly id: string },
): Promise<void> {
  const detail = (body ?? {}) as Readonly<Record<string, unknown>>
  return recordAction(transaction, {
    tenant: caller.tenant,
    at: now,
    actor: caller.user.email,
    action,
    subject: id,
    detail,
  })
}

function requirePattern(pattern: string): void {
  if (!/^[\x20-\x7e]{1,200}$/.test(pattern) || /[/\\]/.test(pattern))
    throw new Problem(400, 'invalid-request', {
      detail: 'pattern must be 1 to 200 printable ASCII characters without slashes; * stands for anything',
    })
}

function toWire(rule: AssignmentRule): object {
  return {
    id: rule.id,
    priority: rule.priority,
    pattern: rule.pattern,
    tag_match: rule.tagMatch,
    bundle_name: rule.bundleName,
    env: rule.env,
    created_at: new Date(rule.createdAt).toISOString(),
  }
}
