// Trying a draft before anybody runs it: one made-up call, or calls that were really made.
import { viewers } from '../auth/roles.js'
import { type Answer, type Call, type Caller, ok, type Route, sharedRoute } from '../routing/route.js'
import type { Schema } from '../routing/schema-check.js'
import type { Services } from '../services.js'
import { readTime } from '../time-range.js'
import { bundleProblem } from './bundle-faults.js'
import { uploadBodyLimit, yamlContent } from './bundle-routes.js'
import { findVersion } from './find-version.js'
import { toRecordedCall } from './recorded-call.js'
import type { ReplayGroup } from './replay.js'
import { identifierPattern } from './upload.js'

const tag = 'evaluation'
/** People who look may try; nothing is stored and nobody is told. */
const access = { scopes: ['read', 'publish'], roles: viewers } as const
const principal: Schema = { type: ['object', 'null'] }

interface EvaluateBody {
  readonly yaml_content: string
  readonly tool_name: string
  readonly tool_args?: Readonly<Record<string, unknown>>
  readonly environment?: string
  readonly agent_id?: string
  readonly principal?: Readonly<Record<string, unknown>> | null
  readonly output?: unknown
}

interface ReplayBody {
  readonly yaml_content?: string
  readonly version?: number
  readonly env?: string
  readonly agent_id?: string
  readonly tool_name?: string
  readonly since?: string
  readonly limit?: number
}

const replayFilter = {
  env: { type: 'string', pattern: identifierPattern },
  agent_id: { type: 'string', maxLength: 10_000 },
  tool_name: { type: 'string', maxLength: 10_000 },
  since: { type: 'string', maxLength: 64 },
  limit: { type: 'integer', minimum: 1, maximum: 5_000 },
}

const replayAnswers = { 200: { description: 'what would be different, grouped, with examples' } }

export function evaluateRoutes(services: Services): readonly Route[] {
  return [
    sharedRoute<EvaluateBody>(access, {
      method: 'POST',
      path: '/api/v1/bundles/evaluate',
      summary: 'What a bundle would decide about a call, contract by contract',
      tag,
      bodyLimit: uploadBodyLimit,
      body: {
        type: 'object',
        required: ['yaml_content', 'tool_name'],
        properties: {
          yaml_content: yamlContent,
          tool_name: { type: 'string', minLength: 1, maxLength: 10_000 },
          tool_args: { type: 'object' },
          environment: { type: 'string', maxLength: 128 },
          agent_id: { type: 'string', maxLength: 128 },
          principal,
          output: {},
        },
      },
      answers: {
        200: { description: 'the verdict and why' },
        422: { description: 'the bundle does not load' },
      },
      handle: (call) => evaluate(services, call),
    }),
    sharedRoute<ReplayBody>(access, {
      method: 'POST',
      path: '/api/v1/bundles/replay',
      summary: 'What a draft would have decided about the last calls',
      tag,
      bodyLimit: uploadBodyLimit,
      body: {
        type: 'object',
        required: ['yaml_content'],
        properties: { yaml_content: yamlContent, ...replayFilter },
      },
      answers: replayAnswers,
      handle: (call) => replay(services, call, call.body.yaml_content ?? ''),
    }),
    sharedRoute<ReplayBody>(access, {
      method: 'POST',
      path: '/v1/rulesets/{name}/replay',
      summary: 'What a draft or a version would have decided about the last calls',
      tag,
      bodyLimit: uploadBodyLimit,
      body: {
        type: 'object',
        anyOf: [
          { required: ['yaml_content'], properties: { yaml_content: yamlContent } },
          { required: ['version'], properties: { version: { type: 'integer', minimum: 1 } } },
        ],
        properties: replayFilter,
      },
      answers: replayAnswers,
      handle: async (call) => replay(services, call, await textOf(services, call)),
    }),
  ]
}

async function evaluate(services: Services, { body }: Call<EvaluateBody, unknown, Caller>): Promise<Answer> {
  const startedAt = performance.now()
  const result = await services.bundleWorkers.run('evaluate', {
    text: body.yaml_content,
    call: {
      toolName: body.tool_name,
      args: body.tool_args ?? {},
      environment: body.environment ?? 'production',
      principal: body.principal ?? null,
      ...(body.output === undefined ? {} : { output: body.output }),
    },
  })
  if (!result.ok) throw bundleProblem(result.diagnostics)
  const { verdict, mode, contracts, decidingContract, policyVersion, explanations } = result
  return ok({
    verdict,
    mode,
    contracts_evaluated: contracts.map(({ policyError, ...contract }) => ({
      ...contract,
      policy_error: policyError,
    })),
    deciding_contract: decidingContract,
    policy_version: policyVersion.slice(0, 12),
    explanations,
    evaluation_time_ms: Math.round((performance.now() - startedAt) * 100) / 100,
  })
}

async function textOf(services: Services, call: Call<ReplayBody, unknown, Caller>): Promise<string> {
  const { yaml_content: draft, version } = call.body
  if (draft !== undefined) return draft
  const found = await findVersion(services, call.caller, {
    name: call.params['name'],
    version: String(version),
  })
  const text = await services.store.bundles.readText(found.id, 'as-uploaded')
  return text?.content ?? ''
}

async function replay(
  services: Services,
  { caller, body, now }: Call<ReplayBody, unknown, Caller>,
  text: string,
): Promise<Answer> {
  const events = await services.store.events.list(
    {
      tenant: caller.tenant,
      env: caller.kind === 'key' ? caller.key.env : body.env,
      agentId: body.agent_id,
      toolName: body.tool_name,
      since: readTime(body.since, 'since', now),
    },
    { limit: body.limit ?? 500 },
  )
  const calls = events.flatMap((event) => toRecordedCall(event) ?? [])
  const result = await services.bundleWorkers.run('replay', { text, calls })
  if (!result.ok) throw bundleProblem(result.diagnostics)
  return ok({
    events_read: events.length,
    replayed: result.replayed,
    not_replayable: result.failures,
    changed: result.changed,
    unchanged: result.replayed - result.changed,
    groups: result.groups.map(toWire),
  })
}

function toWire(group: ReplayGroup): object {
  const { tool, before, after, contract, previousContract, count, examples } = group
  return {
    tool,
    before,
    after,
    contract,
    count,
    previous_contract: previousContract,
    examples: examples.map(({ toolName, args, agentId, callId, timestamp }) => ({
      tool_name: toolName,
      tool_args: args,
      agent_id: agentId,
      call_id: callId,
      timestamp,
    })),
  }
}
