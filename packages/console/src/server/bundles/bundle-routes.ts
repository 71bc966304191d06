// Bundles for operators, programs that publish, and agents of the first generation.
import { protocolPrefix } from '../../protocol/version.js'
import type { BundleOverview } from '../../store/bundles.js'
import { publishers, viewers } from '../auth/roles.js'
import { notFound } from '../routing/problem.js'
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
import { findCurrent, toOwn, toPublished, toVersion } from './current-bundle.js'
import { findVersion, requireOwnEnvironment, seesEverything } from './find-version.js'
import { identifierPattern, type Uploaded, uploadBundle } from './upload.js'

const tag = 'bundles'
/** A text takes more room in JSON than it has characters. */
export const uploadBodyLimit = 5 * 1_048_576
export const publishing = { scopes: ['publish'], roles: publishers } as const
export const reading = { scopes: ['agent', 'read', 'publish'], roles: viewers } as const

export const yamlContent: Schema = { type: 'string', minLength: 1, maxLength: 1_048_576 }
export const uploadAnswers = {
  200: { description: 'this content is a version already' },
  201: { description: 'the new version' },
  422: { description: 'the bundle does not load; everything that is wrong with it, and where' },
}

const uploadBody: Schema = {
  type: 'object',
  required: ['yaml_content'],
  properties: { yaml_content: yamlContent },
}

export function bundleRoutes(services: Services): readonly Route[] {
  const { bundles, deployments } = services.store
  const path = '/api/v1/bundles'
  return [
    ...[path, `${protocolPrefix}/bundles`].map((uploadPath) =>
      sharedRoute<{ yaml_content: string }>(publishing, {
        method: 'POST',
        path: uploadPath,
        summary: 'Upload a bundle; the same content again is the same version',
        tag,
        bodyLimit: uploadBodyLimit,
        body: uploadBody,
        answers: uploadAnswers,
        handle: async (call) =>
          answerUpload(services, call, await uploadBundle(services, call, { text: call.body.yaml_content })),
      }),
    ),
    sharedRoute(reading, {
      method: 'GET',
      path,
      summary: 'All bundles; for the key of an agent those deployed in its environment',
      tag,
      answers: { 200: { description: 'with their latest version and where they are deployed' } },
      handle: async ({ caller }) => ok(await listBundles(services, caller)),
    }),
    sharedRoute<undefined, { env: string }>(reading, {
      method: 'GET',
      path: `${path}/{name}/current`,
      summary: 'The bundle in force in an environment, signed',
      tag,
      query: {
        type: 'object',
        required: ['env'],
        properties: { env: { type: 'string', pattern: identifierPattern } },
      },
      answers: { 200: { description: 'with its bytes' }, 404: { description: 'nothing is deployed' } },
      handle: async ({ caller, params, query, now }) => {
        requireOwnEnvironment(caller, query.env)
        const scope = { tenant: caller.tenant, env: query.env }
        const served = await findCurrent(services, {
          scope,
          name: params['name'] ?? '',
          kind: 'ContractBundle',
        })
        return ok(await toPublished(services, { scope, served, now }))
      },
    }),
    keyRoute(['agent', 'read', 'publish'], {
      method: 'GET',
      path: `${protocolPrefix}/bundles/{name}/current`,
      summary: 'The bundle in force in the environment of the key, with a signed manifest',
      tag,
      answers: {
        200: { description: 'manifest, bytes, signatures' },
        404: { description: 'nothing is deployed' },
      },
      handle: async ({ caller, params, now }) => {
        const scope = { tenant: caller.tenant, env: caller.key.env }
        const served = await findCurrent(services, {
          scope,
          name: params['name'] ?? '',
          kind: 'ContractBundle',
        })
        return ok(await toOwn(services, { scope, served, now }))
      },
    }),
    sharedRoute<undefined, { from: number; to: number }>(
      { scopes: ['read', 'publish'], roles: viewers },
      {
        method: 'GET',
        path: `${path}/{name}/diff`,
        summary: 'Two versions side by side',
        tag,
        query: {
          type: 'object',
          required: ['from', 'to'],
          properties: { from: { type: 'integer', minimum: 1 }, to: { type: 'integer', minimum: 1 } },
        },
        answers: { 200: { description: 'both texts, and which contracts are in one of them only' } },
        handle: async ({ caller, params, query }) => {
          const [from, to] = await Promise.all(
            [query.from, query.to].map((version) =>
              sideOfDiff(services, caller, { name: params['name'], version }),
            ),
          )
          const [before, after] = [new Set(from?.contracts), new Set(to?.contracts)]
          return ok({
            name: params['name'],
            from,
            to,
            contracts_added: [...after].filter((id) => !before.has(id)),
            contracts_removed: [...before].filter((id) => !after.has(id)),
          })
        },
      },
    ),
    sharedRoute(
      { scopes: ['read', 'publish'], roles: viewers },
      {
        method: 'GET',
        path: `${path}/{name}`,
        summary: 'All versions of a bundle, newest first',
        tag,
        answers: { 200: { description: 'with the environments they are deployed in' } },
        handle: async ({ caller, params }) => {
          const versions = await bundles.listVersions(caller.tenant, params['name'] ?? '')
          if (versions.length === 0) throw notFound('bundle')
          const deployed = await deployments.listDeployed(caller.tenant, { bundleName: params['name'] ?? '' })
          const { publicId } = await services.store.tenants.find(caller.tenant)
          return ok(
            versions.map((version) => ({
              ...toVersion(version, publicId),
              deployed_envs: deployed
                .filter(({ bundleVersion }) => bundleVersion === version.version)
                .map(({ env }) => env),
            })),
          )
        },
      },
    ),
    sharedRoute(reading, {
      method: 'GET',
      path: `${path}/{name}/{version}`,
      summary: 'One version',
      tag,
      answers: { 200: { description: 'without its text' } },
      handle: async ({ caller, params }) => {
        const { name, version } = params
        const found = await findVersion(services, caller, { name, version })
        const { publicId } = await services.store.tenants.find(caller.tenant)
        return ok(toVersion(found, publicId))
      },
    }),
    sharedRoute(reading, {
      method: 'GET',
      path: `${path}/{name}/{version}/yaml`,
      summary: 'The text of a version, byte by byte as it was uploaded',
      tag,
      answers: { 200: { description: 'application/x-yaml' } },
      handle: async ({ caller, params }) => {
        const { name, version } = params
        const found = await findVersion(services, caller, { name, version })
        const text = await bundles.readText(found.id, 'as-uploaded')
        if (text === undefined) throw notFound('bundle version')
        return new Response(text.content, {
          headers: { 'Content-Type': 'application/x-yaml; charset=utf-8' },
        })
      },
    }),
  ]
}

export async function answerUpload(
  services: Services,
  { caller }: Call<unknown, unknown, Caller>,
  { version, isNew }: Uploaded,
): Promise<Answer> {
  const { publicId } = await services.store.tenants.find(caller.tenant)
  const body = { ...toVersion(version, publicId), is_new: isNew }
  return isNew ? created(body) : ok(body)
}

export async function listBundles(services: Services, caller: Caller): Promise<readonly object[]> {
  const { bundles, deployments } = services.store
  const [all, deployed] = await Promise.all([
    bundles.list(caller.tenant),
    deployments.listDeployed(caller.tenant),
  ])
  const visible = seesEverything(caller)
    ? all
    : all.filter(({ name }) =>
        deployed.some(
          ({ env, bundleName }) => caller.kind === 'key' && env === caller.key.env && bundleName === name,
        ),
      )
  return visible.map((bundle) => {
    const places = deployed.filter(({ bundleName }) => bundleName === bundle.name)
    return toOverview(bundle, places)
  })
}

function toOverview(
  bundle: BundleOverview,
  places: readonly { readonly env: string; readonly deployedAt: number; readonly bundleVersion: number }[],
): object {
  const last = Math.max(...places.map(({ deployedAt }) => deployedAt))
  return {
    name: bundle.name,
    latest_version: bundle.latestVersion,
    version_count: bundle.versionCount,
    last_updated: new Date(bundle.lastUpdated).toISOString(),
    deployed_envs: places.map(({ env }) => env),
    deployed_versions: Object.fromEntries(places.map(({ env, bundleVersion }) => [env, bundleVersion])),
    contract_count: bundle.contractCount,
    last_deployed_at: places.length === 0 ? null : new Date(last).toISOString(),
  }
}

async function sideOfDiff(
  services: Services,
  caller: Caller,
  wanted: { readonly name: string | undefined; readonly version: number },
): Promise<{ version: number; revision_hash: string; yaml: string; contracts: readonly string[] }> {
  const found = await findVersion(services, caller, { ...wanted, version: String(wanted.version) })
  const text = await services.store.bundles.readText(found.id, 'as-uploaded')
  return {
    version: found.version,
    revision_hash: found.revisionHash,
    yaml: text?.content ?? '',
    contracts: found.contracts.map(({ id }) => id),
  }
}
