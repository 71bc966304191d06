// Where a shared storage puts a key. All keys of one session share a scope, so that one lock, one shard and one expiry hold
// for all of them; and whatever a key holds, scope and field are text that any storage keeps apart.
import { sha256Hex } from '../../internal/platform.js'

export interface StoragePlace {
  readonly scope: string
  readonly field: string
}

const sessionKey = /^s:([^:]+):(.*)$/s
/** Longer names do not fit into the index of a database; their hash stands for them. */
const longestName = 256
// Braces mark the hash tag of a Redis key, PostgreSQL stores no NUL, and half a surrogate pair has no UTF-8 form: written
// as they are, two keys could become one.
const unsafe = /[%{}\0]|\p{Surrogate}/gu

export function placeOfKey(key: string): StoragePlace {
  const [, sessionId, field] = sessionKey.exec(key) ?? []
  return sessionId === undefined || field === undefined
    ? { scope: `k:${storedName(key)}`, field: 'value' }
    : { scope: scopeOfSession(sessionId), field: storedName(field) }
}

export function scopeOfSession(sessionId: string): string {
  return `s:${storedName(sessionId)}`
}

/** The field of a tool's executions. */
export function fieldOfTool(toolName: string): string {
  return storedName(`tool:${toolName}`)
}

function storedName(text: string): string {
  const name = text.replace(
    unsafe,
    (character) => `%${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return name.length <= longestName ? name : `%h${sha256Hex(name)}`
}

/** @throws TypeError for a value that would come back changed. */
export function checkStoredValue(value: string): string {
  if (typeof value !== 'string') throw new TypeError('a stored value must be text')
  if (/\p{Surrogate}/u.test(value)) throw new TypeError('a stored value must be well-formed Unicode')
  return value
}

/** @throws TypeError for an amount that is not a number. */
export function checkAmount(amount: number): string {
  if (typeof amount !== 'number' || !Number.isFinite(amount))
    throw new TypeError('the amount of an increment must be a number')
  return String(amount)
}
