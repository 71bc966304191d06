// The same bundles in the words of the second generation, whose clients read no others.
import { viewers } from '../auth/roles.js'
import { notFound, Problem } from '../routing/problem.js'
import {
  type Answer,
  type Call,
  type Caller,
  keyRoute,
  ok,
  type Route,
  sharedRoute,
} from '../routing/route.js'
import type { Services } from '../services.js'
import {
  answerUpload,
  listBundles,
  publishing,
  reading,
  uploadAnswers,
  uploadBodyLimit,
  yamlContent,
} from './bundle-routes.js'
import { findCurrent, toPublished, toVersion } from './current-bundle.js'
import { findVersion, requireOwnEnvironment } from './find-version.js'
import { identifierPattern, uploadBundle } from './upload.js'

const tag = 'rulesets'
const path = '/v1/rulesets'

interface RulesetBody {
  readonly yaml?: string
  readonly yaml_content?: string
}

const uploadBody = {
  type: 'object',
  anyOf: [
    { required: ['yaml'], properties: { yaml: yamlContent } },
    { required: ['yaml_content'], properties: { yaml_content: yamlContent } },
  ],
}

export function rulesetRoutes(services: Services): readonly Route[] {
  const readers = { scopes: ['read', 'publish'], roles: viewers } as const
  return [
    sharedRoute(reading, {
      method: 'GET',
      path,
      summary: 'All rulesets',
      tag,
      answers: { 200: { description: 'with their latest version and where they are deployed' } },
      handle: async ({ caller }) => ok({ rulesets: await listBundles(services, caller) }),
    }),
    keyRoute<undefined, { env?: string }>(['agent', 'read', 'publish'], {
      method: 'GET',
      path: `${path}/{name}/current`,
      summary: 'The ruleset in force, signed',
      tag,
      query: { type: 'object', properties: { env: { type: 'string', pattern: identifierPattern } } },
      answers: { 200: { description: 'with its bytes' }, 404: { description: 'nothing is deployed' } },
      handle: async ({ caller, params, query, now }) => {
        const { env = caller.key.env } = query
        requireOwnEnvironment(caller, env)
        const scope = { tenant: caller.tenant, env }
        const served = await findCurrent(services, { scope, name: params['name'] ?? '', kind: 'Ruleset' })
        return ok(await toPublished(services, { scope, served, now }))
      },
    }),
    sharedRoute(readers, {
      method: 'GET',
      path: `${path}/{name}/versions`,
      summary: 'All versions of a ruleset, newest first',
      tag,
      answers: { 200: { description: 'without their texts' } },
      handle: async ({ caller, params }) => {
        const versions = await services.store.bundles.listVersions(caller.tenant, params['name'] ?? '')
        if (versions.length === 0) throw notFound('ruleset')
        const { publicId } = await services.store.tenants.find(caller.tenant)
        return ok({ versions: versions.map((version) => toVersion(version, publicId)) })
      },
    }),
    sharedRoute(readers, {
      method: 'GET',
      path: `${path}/{name}/versions/{version}`,
      summary: 'One version, with its text as a Ruleset',
      tag,
      answers: { 200: { description: 'with its text' }, 409: { description: 'it cannot be written so' } },
      handle: async ({ caller, params }) =>
        ok(await describeVersion(services, caller, { name: params['name'], version: params['version'] })),
    }),
    sharedRoute(readers, {
      method: 'GET',
      path: `${path}/{name}`,
      summary: 'The latest version, with its text as a Ruleset',
      tag,
      answers: { 200: { description: 'with its text' }, 409: { description: 'it cannot be written so' } },
      handle: async ({ caller, params }) => {
        const [latest] = await services.store.bundles.listVersions(caller.tenant, params['name'] ?? '')
        if (latest === undefined) throw notFound('ruleset')
        return ok(
          await describeVersion(services, caller, { name: params['name'], version: String(latest.version) }),
        )
      },
    }),
    sharedRoute<RulesetBody>(publishing, {
      method: 'PUT',
      path: `${path}/{name}`,
      summary: 'Upload a version; the same content again is the same version',
      tag,
      bodyLimit: uploadBodyLimit,
      body: uploadBody,
      answers: uploadAnswers,
      handle: (call) => upload(services, call, call.params['name']),
    }),
    sharedRoute<RulesetBody>(publishing, {
      method: 'POST',
      path,
      summary: 'Upload a version; the same content again is the same version',
      tag,
      bodyLimit: uploadBodyLimit,
      body: uploadBody,
      answers: uploadAnswers,
      handle: (call) => upload(services, call),
    }),
  ]
}

async function upload(
  services: Services,
  call: Call<RulesetBody, unknown, Caller>,
  expectedName?: string,
): Promise<Answer> {
  const text = call.body.yaml_content ?? call.body.yaml ?? ''
  const uploaded = await uploadBundle(services, call, {
    text,
    ...(expectedName === undefined ? {} : { expectedName }),
  })
  return answerUpload(services, call, uploaded)
}

async function describeVersion(
  services: Services,
  caller: Caller,
  wanted: { readonly name: string | undefined; readonly version: string | undefined },
): Promise<object> {
  const version = await findVersion(services, caller, wanted)
  const text = await services.store.bundles.readText(version.id, 'Ruleset')
  if (text === undefined)
    throw new Problem(409, 'conflict', {
      detail: `version ${version.version} cannot be written as a Ruleset`,
    })
  const { publicId } = await services.store.tenants.find(caller.tenant)
  return {
    ...toVersion(version, publicId),
    revision_hash: text.revisionHash,
    yaml: text.content,
    yaml_content: text.content,
  }
}
