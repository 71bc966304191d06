// Files a command is given: read from the user's folder, or from standard input where the name is `-`.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { EdictumConfigError } from '../contracts/config-error.js'
import { readFileBytes } from '../internal/platform.js'
import { messageOf } from '../internal/message-of.js'
import { CommandFailure, type Invocation } from './command.js'

export interface GivenFile {
  /** What to call it in messages. */
  readonly name: string
  readonly bytes: Uint8Array
}

/** @throws EdictumConfigError when there is nothing to read. */
export async function readGiven(
  file: string,
  { folder, input }: Pick<Invocation, 'folder' | 'input'>,
): Promise<GivenFile> {
  if (file === '-') return { name: '<stdin>', bytes: await input.readAll() }
  try {
    return { name: file, bytes: readFileBytes(resolve(folder, file)) }
  } catch (error) {
    throw unreadable(file, error)
  }
}

export function unreadable(file: string, error: unknown): EdictumConfigError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const why =
    code === 'ENOENT' ? 'does not exist' : code === 'EISDIR' ? 'is a folder' : `cannot be read (${code})`
  return new EdictumConfigError([{ code: 'bundle-not-found', message: `this file ${why}`, file }])
}

/** Text of a file, which must be UTF-8. @throws EdictumConfigError */
export function textOf({ name, bytes }: GivenFile): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new EdictumConfigError([{ code: 'bundle-not-utf8', message: 'this is not UTF-8 text', file: name }])
  }
}

/** Writes a file that is not there yet; one that is there is somebody's work. @throws CommandFailure */
export function writeNew(file: string, text: string, folder: string): void {
  const path = resolve(folder, file)
  try {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text, { flag: 'wx' })
  } catch (error) {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST'
    throw new CommandFailure(
      isThere ? `${file} is there already; it was left as it is` : `${file}: ${messageOf(error)}`,
    )
  }
}
