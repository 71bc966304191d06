// Arguments as the model sent them, made into plain frozen data, or the reason why that cannot be.
import { EdictumConfigError } from '../../contracts/config-error.js'
import { frozenCopy } from '../../guard/frozen-data.js'

export type Arguments = Readonly<Record<string, unknown>>

export type ReadArguments =
  { readonly kind: 'read'; readonly args: Arguments } | { readonly kind: 'unreadable'; readonly why: string }

/** In characters; more than any tool call has reason to carry. */
const longestText = 1_000_000

export const noArguments: Arguments = Object.freeze({})

export function readArguments(given: unknown): ReadArguments {
  if (given === undefined || given === null || given === '') return { kind: 'read', args: noArguments }
  const data = typeof given === 'string' ? parse(given) : { kind: 'parsed' as const, value: given }
  if (data.kind === 'unreadable') return data
  try {
    const args = frozenCopy(data.value as Arguments, 'arguments')
    const key = findHostileKey(args)
    if (key === undefined) return { kind: 'read', args }
    return { kind: 'unreadable', why: `arguments must not have a field called ${key}` }
  } catch (error) {
    const why = error instanceof EdictumConfigError ? error.diagnostics[0]?.message : undefined
    return { kind: 'unreadable', why: why ?? 'arguments cannot be read' }
  }
}

function parse(
  text: string,
):
  | { readonly kind: 'parsed'; readonly value: unknown }
  | { readonly kind: 'unreadable'; readonly why: string } {
  if (text.length > longestText) {
    return { kind: 'unreadable', why: `arguments have more than ${longestText} characters` }
  }
  try {
    return { kind: 'parsed', value: JSON.parse(text) }
  } catch {
    return { kind: 'unreadable', why: 'arguments are not valid JSON' }
  }
}

/** Names that reach behind an object in careless code. No honest tool has such a parameter. */
const hostileKeys = new Set(['__proto__', 'constructor', 'prototype'])

function findHostileKey(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (Array.isArray(value)) {
    for (const item of value) {
      const key = findHostileKey(item)
      if (key !== undefined) return key
    }
    return undefined
  }
  for (const key of Object.keys(value)) {
    const found = hostileKeys.has(key) ? key : findHostileKey((value as Arguments)[key])
    if (found !== undefined) return found
  }
  return undefined
}
