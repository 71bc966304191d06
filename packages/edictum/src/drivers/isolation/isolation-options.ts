import { existsSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { EdictumConfigError } from '../../contracts/config-error.js'

export interface IsolationOptions {
  /** The file that exports the tool: a `file:` URL or an absolute path. */
  readonly module: URL | string
  /** @default 'default' */
  readonly exportName?: string
  /** Environment variables for the tool, besides a few harmless ones. Nothing else is inherited. */
  readonly env?: Readonly<Record<string, string>>
  /** Options for Node.js, such as `['--import', 'tsx']`. None are inherited. */
  readonly execArgv?: readonly string[]
  /** How long an aborted tool has to stop by itself. @default 100 */
  readonly graceMs?: number
  readonly resourceLimits?: {
    /** What the tool's JavaScript objects may take up. @default 256 */
    readonly maxOldGenerationSizeMb?: number
  }
}

export interface IsolationSettings {
  readonly module: string
  readonly exportName: string
  readonly env: Readonly<Record<string, string>>
  readonly execArgv: readonly string[]
  readonly graceMs: number
  readonly memoryMb: number
}

export const isolationDefaults = {
  exportName: 'default',
  graceMs: 100,
  resourceLimits: { maxOldGenerationSizeMb: 256 },
} as const satisfies Partial<IsolationOptions>

/** @throws EdictumConfigError for a module that is not there or a number that means nothing. */
export function readIsolationOptions(options: IsolationOptions): IsolationSettings {
  const { exportName = isolationDefaults.exportName, env = {}, execArgv = [] } = options
  const { graceMs = isolationDefaults.graceMs, resourceLimits = {} } = options
  const { maxOldGenerationSizeMb: memoryMb = isolationDefaults.resourceLimits.maxOldGenerationSizeMb } =
    resourceLimits
  if (!(graceMs >= 0 && graceMs <= 60_000)) throw refuse('graceMs must be a number from 0 to 60000')
  if (!(memoryMb > 0)) throw refuse('resourceLimits.maxOldGenerationSizeMb must be more than 0')
  return {
    module: locateModule(options.module),
    exportName,
    env: { ...harmlessVariables(), ...env },
    execArgv,
    graceMs,
    memoryMb,
  }
}

function locateModule(given: URL | string): string {
  const text = String(given)
  const url = isAbsolute(text) ? pathToFileURL(text).href : text
  if (!url.startsWith('file:')) {
    throw refuse(
      'module must be a file: URL or an absolute path',
      "write new URL('./tool.js', import.meta.url)",
    )
  }
  if (!existsSync(fileURLToPath(url))) throw refuse(`module does not exist: ${text}`)
  return url
}

/** Programs cannot be found and text is misread without these. None of them is where people keep secrets. */
const harmless =
  'PATH TZ LANG LC_ALL LC_CTYPE TMPDIR TMP TEMP SYSTEMROOT SystemRoot WINDIR windir COMSPEC ComSpec PATHEXT'.split(
    ' ',
  )

function harmlessVariables(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    harmless.flatMap((name) => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

function refuse(message: string, hint?: string): EdictumConfigError {
  return EdictumConfigError.of('invalid-option', message, hint)
}
