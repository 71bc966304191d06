import { randomUUID } from 'node:crypto'

/**
 * What a request is known by when it is sent again. It begins with the time (UUID version 7): a server that keeps keys in
 * order then writes a new one beside the last, not anywhere among all of them.
 */
export function newRequestKey(): string {
  const time = Date.now().toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}
