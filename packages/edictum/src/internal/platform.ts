// The one door to the platform for the core folders: files, hashing, environment variables.
// To run the core elsewhere, this file is the only one to replace.
import { createHash, randomFillSync } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export function sha256Hex(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

/** Symbolic links are resolved first, so that what is hashed is what is read. */
export function readFileBytes(path: string): Uint8Array {
  return readFileSync(realpathSync(path))
}

/** File names in a folder, sorted; undefined when the path is not a readable folder. */
export function listFolder(path: string): readonly string[] | undefined {
  try {
    return readdirSync(path).toSorted()
  } catch {
    return undefined
  }
}

export function joinPath(folder: string, name: string): string {
  return join(folder, name)
}

/** What lies at a path, without following a link at its end. */
export type PathEntry =
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'folder' }
  | { readonly kind: 'file' }
  | { readonly kind: 'missing' }
  /** No permission, a broken disk: nobody can say where this leads. */
  | { readonly kind: 'unreadable' }

const folderEntry: PathEntry = Object.freeze({ kind: 'folder' })
const fileEntry: PathEntry = Object.freeze({ kind: 'file' })
const missingEntry: PathEntry = Object.freeze({ kind: 'missing' })
const unreadableEntry: PathEntry = Object.freeze({ kind: 'unreadable' })

export function inspectPath(path: string): PathEntry {
  try {
    const entry = lstatSync(path, { throwIfNoEntry: false })
    if (entry === undefined) return missingEntry
    if (entry.isDirectory()) return folderEntry
    return entry.isSymbolicLink() ? { kind: 'link', target: readlinkSync(path) } : fileEntry
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    // A path that goes on behind a file, or has a name no file can have, leads nowhere.
    return code === 'ENOTDIR' || code === 'ENAMETOOLONG' || code === 'ENOENT' ? missingEntry : unreadableEntry
  }
}

/**
 * Creates a folder for its owner alone, or makes sure that it is such a folder: no link that leads elsewhere, nobody
 * else's, closed to all others. An open folder is refused, not repaired: someone may have written to it already.
 * @returns what is wrong with it, undefined when nothing is. @throws what the system says when it cannot be made or seen
 */
export function openPrivateFolder(path: string): string | undefined {
  let entry = lstatSync(path, { throwIfNoEntry: false })
  if (entry === undefined) {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    entry = lstatSync(path)
  }
  if (entry.isSymbolicLink()) return 'is a link'
  if (!entry.isDirectory()) return 'is not a folder'
  // Windows has neither owners nor modes of this kind.
  const user = process.getuid?.()
  if (user === undefined) return undefined
  if (entry.uid !== user) return 'belongs to another user'
  return (entry.mode & 0o077) === 0 ? undefined : 'is open to other users; its mode must be 700'
}

/** The folder relative paths start from; undefined when it was removed. */
export function workingFolder(): string | undefined {
  try {
    return process.cwd()
  } catch {
    return undefined
  }
}

export function homeFolder(): string {
  return homedir()
}

/** Whether two names that differ only in case are usually the same file here. */
export function pathsIgnoreCase(): boolean {
  return process.platform === 'darwin' || process.platform === 'win32'
}

/** The folder of the templates that ship with the package: beside `dist` in the package, beside `src` in the repository. */
export function builtInTemplateFolder(): string {
  return fileURLToPath(new URL('../../templates', import.meta.url))
}

/** Only what is really set: the environment object also answers to names it merely inherits. */
export function environmentVariable(name: string): string | undefined {
  return Object.hasOwn(process.env, name) ? process.env[name] : undefined
}

/** Something a person running the process should know, on the channel the platform has for it. */
export function warn(message: string): void {
  process.emitWarning(message, 'EdictumWarning')
}

const uuidLength = 36
const hexDigits = Buffer.from('0123456789abcdef')
const randomPool = new Uint8Array(4_096)
const uuidText = Buffer.alloc(uuidLength, '-')
let randomUsed = randomPool.length

/** A random UUID (version 4), as one flat text: the platform's own is joined of twenty pieces, ten times the garbage. */
export function randomId(): string {
  if (randomUsed === randomPool.length) {
    randomFillSync(randomPool)
    randomUsed = 0
  }
  const first = randomUsed
  randomUsed += 16
  for (let index = 0, at = 0; index < 16; index++) {
    if (index === 4 || index === 6 || index === 8 || index === 10) at++
    let byte = randomPool[first + index] as number
    if (index === 6) byte = (byte & 0x0f) | 0x40
    else if (index === 8) byte = (byte & 0x3f) | 0x80
    uuidText[at++] = hexDigits[byte >> 4] as number
    uuidText[at++] = hexDigits[byte & 0x0f] as number
    // What has been handed out is not kept.
    randomPool[first + index] = 0
  }
  return uuidText.toString('latin1', 0, uuidLength)
}

/** Lets everything that is waiting have its turn: timers, connections, other calls. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** Milliseconds that only ever go forward. */
export function elapsedMs(): number {
  return performance.now()
}
