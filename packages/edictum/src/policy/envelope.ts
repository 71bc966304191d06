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

/** Characters that show nothing, and blanks at the ends: a name with them looks like another one. */
const invisibleInToolName = /^\s|\s$|\p{Default_Ignorable_Code_Point}/u

/** Names found fine before; a process has few tools and calls them often. */
const soundNames = new Set<unknown>()
const keptNames = 4_096

/** Undefined when the name is fine, else what is wrong with it. */
export function faultInToolName(toolName: unknown): string | undefined {
  if (soundNames.has(toolName)) return undefined
  const fault = findFault(toolName)
  if (fault === undefined) {
    if (soundNames.size >= keptNames) soundNames.clear()
    soundNames.add(toolName)
  }
  return fault
}

function findFault(toolName: unknown): string | undefined {
  if (typeof toolName !== 'string') return 'a tool name must be text'
  if (toolName === '') return 'a tool name must not be empty'
  if (toolName.length > longestToolName) return `a tool name has at most ${longestToolName} characters`
  if (forbiddenInToolName.test(toolName))
    return 'a tool name must not contain control characters, `/` or `\\`'
  if (invisibleInToolName.test(toolName))
    return 'a tool name must not contain invisible characters or end in blanks'
  // Full-width letters and other compatibility forms would pass by a contract for the plain name.
  return toolName === toolName.normalize('NFKC')
    ? undefined
    : 'a tool name must be written in its normal form'
}
