// The folder of an installation: readable by its owner alone, used by one process at a time.
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface DataFolder {
  readonly path: string
  readonly secret: string
  readonly release: () => void
}

class DataFolderError extends Error {
  override readonly name = 'DataFolderError'
}

export const secretsFile = 'secrets.json'
const privateFolder = 0o700
const privateFile = 0o600

/**
 * @param sharedSecret of nodes that share a database; absent, a secret is made at the first start and kept in the folder.
 * @throws DataFolderError when others could read the folder, or another process uses it.
 */
export function openDataFolder(path: string, sharedSecret?: string): DataFolder {
  // What is made in the folder later is as private as the folder.
  process.umask(0o077)
  mkdirSync(path, { recursive: true, mode: privateFolder })
  if (process.platform !== 'win32') refuseWhenShared(path)
  const release = lock(join(path, 'console.lock'))
  try {
    return { path, secret: sharedSecret ?? readOrMakeSecret(join(path, secretsFile)), release }
  } catch (error) {
    release()
    throw error
  }
}

function refuseWhenShared(path: string): void {
  const { mode, uid } = statSync(path)
  if (uid !== process.getuid?.()) throw new DataFolderError(`${path} belongs to another user`)
  if ((mode & 0o077) !== 0)
    throw new DataFolderError(`${path} can be read by others; make it private: chmod 700 ${path}`)
}

function readOrMakeSecret(file: string): string {
  try {
    writeFileSync(file, `${JSON.stringify({ secret: randomBytes(32).toString('base64url') }, null, 2)}\n`, {
      flag: 'wx',
      mode: privateFile,
    })
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
  if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0) chmodSync(file, privateFile)
  const { secret } = JSON.parse(readFileSync(file, 'utf8')) as { secret?: unknown }
  if (typeof secret !== 'string' || secret.length < 32)
    throw new DataFolderError(`${file} does not hold a secret`)
  return secret
}

/** A file with the number of the process: one that is gone leaves a lock nobody honours. */
function lock(file: string): () => void {
  for (let attempts = 0; attempts < 3; attempts++) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx', mode: privateFile })
      return () => rmSync(file, { force: true })
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
    }
    const holder = Number(readLock(file))
    if (holder > 0 && holder !== process.pid && isRunning(holder))
      throw new DataFolderError(`another console (process ${holder}) uses this folder; ${file} says so`)
    rmSync(file, { force: true })
  }
  throw new DataFolderError(`cannot take ${file}`)
}

function readLock(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
