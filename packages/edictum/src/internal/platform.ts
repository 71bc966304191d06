// The one door to the platform for the core folders: files, hashing, environment variables.
// To run the core elsewhere, this file is the only one to replace.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, realpathSync } from 'node:fs'
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

/** The folder of the templates that ship with the package: beside `dist` in the package, beside `src` in the repository. */
export function builtInTemplateFolder(): string {
  return fileURLToPath(new URL('../../templates', import.meta.url))
}

/** Only what is really set: the environment object also answers to names it merely inherits. */
export function environmentVariable(name: string): string | undefined {
  return Object.hasOwn(process.env, name) ? process.env[name] : undefined
}
