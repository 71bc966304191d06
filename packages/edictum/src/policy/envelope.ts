// One tool call as everything downstream sees it: a frozen snapshot.
import type { SideEffect } from '../contracts/bundle.js'

export interface Principal {
  readonly userId: string | null
  readonly serviceId: string | null
  readonly orgId: string | null
  readonly role: string | null
  readonly ticketRef: string | null
  readonly claims: Readonly<Record<string, unknown>>
}

export interface ToolEnvelope {
  readonly toolName: string
  readonly args: Readonly<Record<string, unknown>>
  readonly callId: string
  readonly runId: string
  readonly callIndex: number
  readonly parentCallId: string | null
  readonly sideEffect: SideEffect
  readonly idempotent: boolean
  readonly environment: string
  readonly timestamp: Date
  readonly caller: string
  readonly toolUseId: string | null
  readonly principal: Principal | null
  readonly bashCommand: string | null
  readonly filePath: string | null
  readonly metadata: Readonly<Record<string, unknown>>
}

/** The command line of a `Bash` call; null for every other tool. Names are exact: `bash` is another tool. */
export function bashCommandOf(toolName: string, args: Readonly<Record<string, unknown>>): string | null {
  if (toolName !== 'Bash') return null
  const command = args['command']
  return typeof command === 'string' ? command : ''
}

const fileTools = new Set(['Read', 'Glob', 'Grep', 'Write', 'Edit'])

/** The file a file tool works on; null for every other tool. */
export function filePathOf(toolName: string, args: Readonly<Record<string, unknown>>): string | null {
  if (!fileTools.has(toolName)) return null
  for (const key of ['file_path', 'filePath', 'path']) {
    const path = Object.hasOwn(args, key) ? args[key] : undefined
    if (typeof path === 'string' && path !== '') return path
  }
  return null
}

const longestToolName = 10_000
// Line ends, other control characters and path separators would let one name pass for another in keys and logs.
// oxlint-disable-next-line no-control-regex -- control characters are what this finds
const forbiddenInToolName = /[\u0000-\u001f\u007f-\u009f\u2028\u2029/\\]/

/** Undefined when the name is fine, else what is wrong with it. */
export function faultInToolName(toolName: unknown): string | undefined {
  if (typeof toolName !== 'string') return 'a tool name must be text'
  if (toolName === '') return 'a tool name must not be empty'
  if (toolName.length > longestToolName) return `a tool name has at most ${longestToolName} characters`
  return forbiddenInToolName.test(toolName)
    ? 'a tool name must not contain control characters, `/` or `\\`'
    : undefined
}
