// Drafts while they are written: what is wrong where, and what they would decide about a call.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Diagnostic } from 'edictum'
import type { BundleCheck, BundleFault, BundleFindings } from '../../protocol/bundle-check.js'
import { protocolPrefix } from '../../protocol/version.js'
import { viewers } from '../auth/roles.js'
import { ok, type Route, userRoute } from '../routing/route.js'
import type { Services } from '../services.js'
import { toJudgement } from './judgement.js'
import { uploadBodyLimit, yamlContent } from './bundle-routes.js'

const schema = JSON.parse(
  readFileSync(fileURLToPath(import.meta.resolve('edictum/schema.json')), 'utf8'),
) as object

export function checkRoutes(services: Services): readonly Route[] {
  return [
    userRoute(viewers, {
      method: 'GET',
      path: `${protocolPrefix}/bundles/schema`,
      summary: 'The JSON Schema of contracts, for editors',
      tag: 'evaluation',
      answers: { 200: { description: 'JSON Schema, draft 7' } },
      handle: async () => ok(schema),
    }),
    userRoute<BundleCheck>(viewers, {
      method: 'POST',
      path: `${protocolPrefix}/bundles/check`,
      summary: 'What is wrong with a draft, or what it would decide; nothing is stored',
      tag: 'evaluation',
      bodyLimit: uploadBodyLimit,
      body: {
        type: 'object',
        required: ['yaml_content'],
        properties: {
          yaml_content: { ...yamlContent, minLength: 0 },
          call: {
            type: 'object',
            required: ['tool_name', 'tool_args'],
            properties: {
              tool_name: { type: 'string', maxLength: 10_000 },
              tool_args: { type: 'object' },
              environment: { type: 'string', maxLength: 128 },
              principal: { type: ['object', 'null'] },
              output: {},
            },
          },
        },
      },
      answers: { 200: { description: 'the faults, or the contracts and the judgement' } },
      handle: async ({ body }) => ok(await check(services, body)),
    }),
  ]
}

async function check(services: Services, { yaml_content: text, call }: BundleCheck): Promise<BundleFindings> {
  const examined = await services.bundleWorkers.run('examine', { text })
  if (!examined.ok) return { ok: false, faults: examined.diagnostics.map(toFault) }
  const { name, contracts } = examined.bundle
  const found = {
    ok: true,
    name,
    contracts: contracts.map(({ id, type, mode }) => ({ id, type, mode })),
  } as const
  if (call === undefined || call.tool_name === '') return { ...found, judgement: null }
  const judged = await services.bundleWorkers.run('evaluate', {
    text,
    call: {
      toolName: call.tool_name,
      args: call.tool_args,
      environment: call.environment ?? 'production',
      principal: call.principal ?? null,
      ...(call.output === undefined ? {} : { output: call.output }),
    },
  })
  if (!judged.ok) return { ok: false, faults: judged.diagnostics.map(toFault) }
  return {
    ...found,
    judgement: toJudgement(judged),
  }
}

function toFault({ message, line, column, hint }: Diagnostic): BundleFault {
  return { message, line: line ?? null, column: column ?? null, hint: hint ?? null }
}
