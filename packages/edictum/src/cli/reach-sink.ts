// Whether audit events could be written where they are to go, without writing any.
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { messageOf } from '../internal/message-of.js'
import type { Reached } from './reach.js'

/** A file that can be appended to, or made. */
export function reachFile(path: string): Pick<Reached, 'ok' | 'detail'> {
  try {
    if (!existsSync(path)) {
      accessSync(dirname(path), constants.W_OK)
      return { ok: true, detail: 'can be made' }
    }
    if (statSync(path).isDirectory()) return { ok: false, detail: 'is a folder' }
    accessSync(path, constants.W_OK)
    return { ok: true, detail: 'can be appended to' }
  } catch (error) {
    return { ok: false, detail: `cannot be written: ${messageOf(error)}` }
  }
}
