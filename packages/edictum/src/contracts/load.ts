// Text or file → loaded bundle. The order is fixed: size, bytes, hash, YAML, then the whole document is checked.
import { deepFreeze } from '../internal/deep-freeze.js'
import { readFileBytes, sha256Hex } from '../internal/platform.js'
import type { ContractBundle } from './bundle.js'
import { checkBundle } from './check.js'
import { EdictumConfigError } from './config-error.js'
import type { Problem } from './diagnostic.js'
import { locateOffset, locateProblems } from './locate.js'
import { parseYaml, type YamlDocument, YamlSyntaxError } from './yaml.js'

/** One file may be this large unless the caller raises the limit; several files compose to any size. */
export const maxBundleBytesDefault = 1_048_576

export interface LoadOptions {
  /** @default 1048576 */
  readonly maxBundleBytes?: number
  /** Names of operators registered beside the built-in ones. */
  readonly customOperators?: Iterable<string>
  /** What to call the text in messages. */
  readonly file?: string
}

export interface LoadedBundle {
  readonly bundle: ContractBundle
  /** SHA-256 of the raw bytes, lower-case hex. */
  readonly policyVersion: string
}

/** Loads and checks one bundle file. @throws EdictumConfigError carrying every problem found. */
export function loadBundle(path: string, options: LoadOptions = {}): LoadedBundle {
  const named = { file: path, ...options }
  return loadBundleString(readBundle(path, named), named)
}

/** Loads and checks a bundle given as text or bytes. @throws EdictumConfigError carrying every problem found. */
export function loadBundleString(content: string | Uint8Array, options: LoadOptions = {}): LoadedBundle {
  const document = parseDocument(content, options)
  const result = checkBundle(document.value, new Set(options.customOperators))
  const problems = result.ok
    ? document.problems
    : [...document.problems, ...relevant(result.problems, document)]
  if (!result.ok || problems.length > 0) {
    throw new EdictumConfigError(locateProblems(problems, document.source, options.file))
  }
  return { bundle: deepFreeze(result.bundle), policyVersion: sha256Hex(content) }
}

/** Size, encoding and YAML, for anything that is written like a bundle. @throws EdictumConfigError */
export function parseDocument(content: string | Uint8Array, options: LoadOptions): YamlDocument {
  return parse(decode(content, options), options.file)
}

/** After an alias bomb there is no value left to check: only the cause is worth reporting. */
function relevant(problems: readonly Problem[], document: YamlDocument): readonly Problem[] {
  return document.problems.length > 0 && document.value === null ? [] : problems
}

function readBundle(path: string, { file = path }: LoadOptions): Uint8Array {
  try {
    return readFileBytes(path)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    const why =
      code === 'ENOENT' ? 'does not exist' : code === 'EISDIR' ? 'is a folder' : `cannot be read (${code})`
    throw new EdictumConfigError([{ code: 'bundle-not-found', message: `bundle file ${why}`, file }])
  }
}

function decode(
  content: string | Uint8Array,
  { file, maxBundleBytes = maxBundleBytesDefault }: LoadOptions,
): string {
  const bytes = typeof content === 'string' ? utf8Length(content) : content.byteLength
  const at = file === undefined ? {} : { file }
  if (bytes > maxBundleBytes) {
    throw new EdictumConfigError([
      {
        ...at,
        code: 'bundle-too-large',
        message: `bundle is ${bytes} bytes; at most ${maxBundleBytes} are allowed`,
        hint: 'split it into several files and load them together, or raise `maxBundleBytes`',
      },
    ])
  }
  if (typeof content === 'string') return content
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content)
  } catch {
    throw new EdictumConfigError([{ ...at, code: 'bundle-not-utf8', message: 'bundle is not UTF-8 text' }])
  }
}

function utf8Length(text: string): number {
  return new TextEncoder().encode(text).byteLength
}

function parse(text: string, file: string | undefined): YamlDocument {
  try {
    return parseYaml(text)
  } catch (error) {
    if (!(error instanceof YamlSyntaxError)) throw error
    throw new EdictumConfigError([locateOffset(error.problem, text, { offset: error.offset, file })])
  }
}
