// Observe, then calibrate, then enforce: what sessions did while nothing stopped them, and limits above that.
import { writeLimitsBundle } from 'edictum/history'
import type { CalibratedTool, Calibration } from '../../protocol/calibration.js'
import { protocolPrefix } from '../../protocol/version.js'
import type { CountedUses, ToolUse } from '../../store/calibration.js'
import { viewers } from '../auth/roles.js'
import { Problem } from '../routing/problem.js'
import { ok, type Route, userRoute } from '../routing/route.js'
import type { Services } from '../services.js'
import { readTime } from '../time-range.js'
import { describeCounts } from './distribution.js'

const dayMs = 24 * 60 * 60 * 1_000
/** Those most sessions use; a limit on everything else is what `max_tool_calls` is for. */
const mostTools = 20
/** A name longer than this is no name anybody wrote. */
const longestToolName = 200

interface CalibrationQuery {
  readonly since?: string
  readonly mode?: 'observe'
  readonly env?: string
  readonly agent_id?: string
}

export function calibrationRoutes({ store }: Services): readonly Route[] {
  return [
    userRoute<undefined, CalibrationQuery>(viewers, {
      method: 'GET',
      path: `${protocolPrefix}/calibration`,
      summary: 'How much sessions do, and limits above that',
      tag: 'sessions',
      query: {
        type: 'object',
        properties: {
          since: { type: 'string', maxLength: 40 },
          mode: { enum: ['observe'] },
          env: { type: 'string', maxLength: 128 },
          agent_id: { type: 'string', maxLength: 10_000 },
        },
      },
      answers: { 200: { description: 'distributions, suggested limits, a draft' } },
      handle: async ({ caller: { tenant }, query, now }) => {
        const since = readTime(query.since, 'since', now) ?? now - 7 * dayMs
        if (since >= now)
          throw new Problem(422, 'invalid-request', { detail: 'since must be a time that is over' })
        const counted = await store.calibration.count({
          tenant,
          since,
          mode: query.mode,
          env: query.env,
          agentId: query.agent_id,
        })
        return ok(calibrate(counted, since))
      },
    }),
  ]
}

function calibrate({ uses, horizon }: CountedUses, since: number): Calibration {
  const executions = describeCounts(perSession(uses, (use) => use.executions))
  const attemptCounts = perSession(uses, (use) => use.executions + use.refused)
  const attempts = describeCounts(attemptCounts)
  const tools = describeTools(uses)
  return {
    since: new Date(since).toISOString(),
    counted_since: horizon === undefined ? null : new Date(horizon).toISOString(),
    sessions: attemptCounts.length,
    executions,
    attempts,
    tools,
    draft:
      attemptCounts.length === 0
        ? null
        : writeLimitsBundle({
            mode: 'enforce',
            maxToolCalls: executions.suggested_limit,
            maxAttempts: attempts.suggested_limit,
            maxCallsPerTool: Object.fromEntries(
              tools
                .filter(({ tool_name: name }) => isOrdinary(name))
                .map((tool) => [tool.tool_name, tool.suggested_limit]),
            ),
          }),
  }
}

function perSession(uses: readonly ToolUse[], countOf: (use: ToolUse) => number): readonly number[] {
  const sums = new Map<string, number>()
  for (const use of uses) sums.set(use.session, (sums.get(use.session) ?? 0) + countOf(use))
  return [...sums.values()]
}

function describeTools(uses: readonly ToolUse[]): readonly CalibratedTool[] {
  const counts = new Map<string, number[]>()
  for (const { tool_name: name, executions } of uses) {
    if (executions === 0) continue
    const ofTool = counts.get(name)
    if (ofTool === undefined) counts.set(name, [executions])
    else ofTool.push(executions)
  }
  return [...counts]
    .toSorted(([left, some], [right, others]) => others.length - some.length || (left < right ? -1 : 1))
    .slice(0, mostTools)
    .map(([name, ofTool]) => ({
      tool_name: name,
      sessions: ofTool.length,
      ...describeCounts(ofTool),
    }))
}

/** Fit to be written into a bundle that people read. */
function isOrdinary(name: string): boolean {
  return name.length <= longestToolName && !/[\p{Cc}\p{Cf}\p{Cs}]/u.test(name)
}
