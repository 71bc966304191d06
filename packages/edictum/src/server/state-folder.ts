// Where a client keeps what must survive its process: the audit spool, the last good bundle. For its owner alone.
import { open, rename, rm } from 'node:fs/promises'
import { randomUUID } from 'node:crypto'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { EdictumConfigError } from '../contracts/config-error.js'
import { messageOf } from '../internal/message-of.js'
import { openPrivateFolder } from '../internal/platform.js'
import type { EdictumServerClient } from './server-client.js'

/** Apart for every server, environment and agent: nothing of one may be taken for another's. */
export function defaultStateFolder({ baseUrl, env, agentId }: EdictumServerClient): string {
  const { host, pathname } = new URL(baseUrl)
  const server = `${host}${pathname}`.replace(/\/$/, '').replaceAll(/[^A-Za-z0-9._-]/g, '_')
  return join(homedir(), '.edictum', 'agents', server, env, agentId)
}

/** @throws EdictumConfigError when others could read or write it. */
export function ensureStateFolder(path: string): string {
  let fault: string | undefined
  try {
    fault = openPrivateFolder(path)
  } catch (error) {
    fault = `cannot be used: ${messageOf(error)}`
  }
  if (fault === undefined) return path
  throw EdictumConfigError.of(
    'invalid-option',
    `the state folder ${path} ${fault}`,
    'give a stateFolder that this process can create and nobody else can read',
  )
}

/** The whole text or nothing of it, also when the machine stops in between. */
export async function writeStateFile(path: string, text: string): Promise<void> {
  const unfinished = `${path}.${randomUUID()}.tmp`
  try {
    const file = await open(unfinished, 'wx', 0o600)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(unfinished, path)
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  }
  await syncFolder(dirname(path))
}

async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await open(path, 'r')
    try {
      await folder.sync()
    } finally {
      await folder.close()
    }
  } catch {
    // Not every platform lets a folder be opened; the file itself is safe.
  }
}
