// Putting a version into force, taking it back, and seeing how far it has come.
import type { BundleAcknowledgement } from '../../protocol/bundles.js'
import { protocolPrefix } from '../../protocol/version.js'
import {
  type Deployment,
  deployVersion,
  findPreviousVersion,
  recordAcknowledgement,
} from '../../store/deployments.js'
import { recordAction } from '../../store/operator-log.js'
import { actorOf } from '../auth/actor.js'
import { viewers } from '../auth/roles.js'
import { changeOnce } from '../idempotency.js'
import { notFound, Problem } from '../routing/problem.js'
import {
  type Answer,
  type Call,
  type Caller,
  created,
  keyRoute,
  ok,
  type Route,
  sharedRoute,
} from '../routing/route.js'
import type { Schema } from '../routing/schema-check.js'
import type { Services } from '../services.js'
import { publishing } from './bundle-routes.js'
import { findVersion, requireOwnEnvironment } from './find-version.js'
import { describeRollout } from './rollout.js'
import { identifierPattern } from './upload.js'

const tag = 'deployments'
const identifier: Schema = { type: 'string', pattern: identifierPattern }
const answers = {
  200: { description: 'this version is in force already' },
  201: { description: 'in force; agents are being told' },
}

export function deploymentRoutes(services: Services): readonly Route[] {
  return [
    sharedRoute<{ env: string; force?: boolean }>(publishing, {
      method: 'POST',
      path: '/api/v1/bundles/{name}/{version}/deploy',
      summary: 'Put a version into force in an environment',
      tag,
      body: {
        type: 'object',
        required: ['env'],
        properties: { env: identifier, force: { type: 'boolean' } },
      },
      answers,
      handle: async (call) => {
        const { name, version } = call.params
        const found = await findVersion(services, call.caller, { name, version })
        return deploy(services, call, {
          env: call.body.env,
          bundleName: found.name,
          bundleVersion: found.version,
          when: call.body.force === true ? 'always' : 'different',
        })
      },
    }),
    sharedRoute<{ env: string; to_version?: number }>(publishing, {
      method: 'POST',
      path: '/api/v1/bundles/{name}/rollback',
      summary: 'Go back to the version that was in force before',
      tag,
      body: {
        type: 'object',
        required: ['env'],
        properties: { env: identifier, to_version: { type: 'integer', minimum: 1 } },
      },
      answers: { ...answers, 409: { description: 'there is no version to go back to' } },
      handle: async (call) => {
        const { env, to_version: wanted } = call.body
        requireOwnEnvironment(call.caller, env)
        const bundleName = call.params['name'] ?? ''
        const scope = { tenant: call.caller.tenant, env, bundleName }
        const version = wanted ?? (await findPreviousVersion(services.store.database, scope))
        if (version === undefined)
          throw new Problem(409, 'conflict', { detail: 'no other version was in force before' })
        const found = await findVersion(services, call.caller, { name: bundleName, version: String(version) })
        return deploy(services, call, { env, bundleName, bundleVersion: found.version, when: 'different' })
      },
    }),
    sharedRoute<undefined, { env?: string; bundle_name?: string; limit: number }>(
      { scopes: ['read', 'publish'], roles: viewers },
      {
        method: 'GET',
        path: '/api/v1/deployments',
        summary: 'What was deployed when, newest first',
        tag,
        query: {
          type: 'object',
          properties: {
            env: identifier,
            bundle_name: identifier,
            limit: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
          },
        },
        answers: { 200: { description: 'deployments' } },
        handle: async ({ caller, query }) => {
          const filter = { tenant: caller.tenant, env: query.env, bundleName: query.bundle_name }
          return ok((await services.store.deployments.list(filter, query.limit)).map(toWire))
        },
      },
    ),
    sharedRoute<undefined, { env: string }>(
      { scopes: ['read', 'publish'], roles: viewers },
      {
        method: 'GET',
        path: '/api/v1/bundles/{name}/rollout',
        summary: 'Which agents run the version in force, and which refused it',
        tag,
        query: { type: 'object', required: ['env'], properties: { env: identifier } },
        answers: { 200: { description: 'by agent' }, 404: { description: 'nothing is deployed' } },
        handle: async ({ caller, params, query }) => {
          const scope = { tenant: caller.tenant, env: query.env }
          const rollout = await describeRollout(services, scope, params['name'] ?? '')
          if (rollout === undefined) throw notFound('deployed bundle')
          return ok(rollout)
        },
      },
    ),
    keyRoute<BundleAcknowledgement>(['agent'], {
      method: 'POST',
      path: `${protocolPrefix}/bundles/acknowledge`,
      summary: 'What the agent did with a bundle it was given',
      tag,
      body: {
        type: 'object',
        required: ['bundle_name', 'revision_hash', 'outcome'],
        properties: {
          bundle_name: identifier,
          revision_hash: { type: 'string', pattern: '^[0-9a-f]{64}$' },
          outcome: { enum: ['applied', 'rejected'] },
          reason: { type: 'string', maxLength: 2_000 },
        },
      },
      answers: { 200: { description: 'noted' } },
      handle: async ({ caller, body, now }) => {
        const { tenant, agentId, key } = caller
        await services.store.database.transaction((transaction) =>
          recordAcknowledgement(transaction, {
            tenant,
            env: key.env,
            agentId,
            bundleName: body.bundle_name,
            revisionHash: body.revision_hash,
            outcome: body.outcome,
            reason: body.reason?.replaceAll('\0', '\uFFFD') ?? null,
            at: now,
          }),
        )
        if (body.outcome === 'applied')
          services.sightings.note({
            tenant,
            env: key.env,
            agentId,
            at: now,
            policyVersion: body.revision_hash,
            bundleName: body.bundle_name,
          })
        return ok({})
      },
    }),
  ]
}

interface Wanted {
  readonly env: string
  readonly bundleName: string
  readonly bundleVersion: number
  readonly when: 'different' | 'always'
}

async function deploy(
  services: Services,
  call: Call<unknown, unknown, Caller>,
  wanted: Wanted,
): Promise<Answer> {
  const { caller, now } = call
  requireOwnEnvironment(caller, wanted.env)
  const { deployment, isNew } = await services.store.database.transaction((transaction) =>
    changeOnce(transaction, call, async () => {
      const outcome = await deployVersion(transaction, {
        ...wanted,
        tenant: caller.tenant,
        deployedBy: actorOf(caller),
        now,
      })
      if (outcome.isNew)
        await recordAction(transaction, {
          tenant: caller.tenant,
          at: now,
          actor: actorOf(caller),
          action: 'bundle.deploy',
          subject: wanted.bundleName,
          detail: { env: wanted.env, version: wanted.bundleVersion, sequence: outcome.deployment.sequence },
        })
      return outcome
    }),
  )
  return isNew ? created(toWire(deployment)) : ok(toWire(deployment))
}

function toWire(deployment: Deployment): object {
  return {
    id: deployment.id,
    env: deployment.env,
    bundle_name: deployment.bundleName,
    bundle_version: deployment.bundleVersion,
    sequence: deployment.sequence,
    deployed_by: deployment.deployedBy,
    created_at: new Date(deployment.createdAt).toISOString(),
  }
}
