// A list of calls in JSON, as `evaluateBatch` takes them.
import type { EvaluateCall } from '../guard/call-judge.js'
import { messageOf } from '../internal/message-of.js'
import { type Invocation, UsageError } from './command.js'
import { readGiven, textOf } from './files.js'

/** @throws UsageError when it is not a list of calls, EdictumConfigError when it cannot be read. */
export async function readCalls(file: string, invocation: Invocation): Promise<readonly EvaluateCall[]> {
  const given = await readGiven(file, invocation)
  let value: unknown
  try {
    value = JSON.parse(textOf(given))
  } catch (error) {
    throw new UsageError(`${given.name} is not JSON: ${messageOf(error)}`)
  }
  if (!Array.isArray(value)) throw new UsageError(`${given.name} must be a JSON array of calls`)
  return value.map((call, index) => readCall(call, `call ${index + 1} of ${given.name}`))
}

interface CallInJson extends EvaluateCall {
  readonly session?: {
    readonly attempts?: number
    readonly tool_calls?: number
    readonly calls_per_tool?: Readonly<Record<string, number>>
  }
}

function readCall(value: unknown, where: string): EvaluateCall {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError(`${where} must be an object`)
  const { session, ...call } = value as CallInJson
  if (typeof call.tool !== 'string') throw new UsageError(`${where} needs a \`tool\``)
  const { args = {} } = call
  if (typeof args !== 'object' || args === null || Array.isArray(args))
    throw new UsageError(`\`args\` of ${where} must be an object`)
  if (session === undefined) return call
  const { attempts, tool_calls: toolCalls, calls_per_tool: callsPerTool } = session
  return {
    ...call,
    session: {
      ...(attempts === undefined ? {} : { attempts }),
      ...(toolCalls === undefined ? {} : { toolCalls }),
      ...(callsPerTool === undefined ? {} : { callsPerTool }),
    },
  }
}
