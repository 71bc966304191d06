// Every text of a call's arguments, however deep, with what its key says about it.
import { roleOfKey, type TextRole } from './argument-keys.js'

export interface ArgumentText {
  readonly text: string
  readonly role: TextRole
}

/** A program to start: a line for a shell, the words of one program, or something that is neither. */
export type CommandArgument =
  | { readonly kind: 'line'; readonly line: string }
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'odd' }

export interface ArgumentTexts {
  readonly texts: readonly ArgumentText[]
  readonly commands: readonly CommandArgument[]
  /** Under keys that may also hold program text of another language. */
  readonly scripts: readonly CommandArgument[]
}

const deepest = 100
const deepestJson = 3
const longestJson = 100_000
const mostValues = 1_000_000

export function collectTexts(args: Readonly<Record<string, unknown>>): ArgumentTexts {
  const found: Found = { texts: [], commands: [], scripts: [], room: mostValues }
  collectFields(args, 'other', { found, depth: 0, json: 0 })
  return found
}

interface Found {
  readonly texts: ArgumentText[]
  readonly commands: CommandArgument[]
  readonly scripts: CommandArgument[]
  /** How many values may still be looked at. */
  room: number
}

interface Place {
  readonly found: Found
  readonly depth: number
  /** How many times text was read as JSON on the way here. */
  readonly json: number
}

function collectFields(fields: object, parent: TextRole, place: Place): void {
  const siblings = fields as Readonly<Record<string, unknown>>
  for (const key of Object.keys(fields)) {
    const value = siblings[key]
    const role = roleOfKey(key)
    if (role === 'script') collectCommand(value, role, place)
    else if (role === 'command') collectNamedCommand(key, siblings, place)
    // A mapping of file names to what goes into the files: the keys are the paths.
    const isFileName = parent === 'path' && role === 'other' && /[./~]/.test(key)
    if (parent !== 'content' && (isFileName || /[/\\~%]|\.\./.test(key))) {
      place.found.texts.push({ text: key, role: isFileName ? 'path' : 'other' })
    }
    collectValue(value, isFileName && typeof value === 'string' ? 'content' : role, place)
  }
}

function collectValue(value: unknown, role: TextRole, place: Place): void {
  // Also the end of data that contains itself.
  if (--place.found.room < 0) throw new Error(`the arguments hold more than ${mostValues} values`)
  if (typeof value === 'string') {
    collectText(value, role, place)
  } else if ((typeof value === 'number' || typeof value === 'bigint') && role === 'host') {
    place.found.texts.push({ text: String(value), role })
  } else if (typeof value === 'object' && value !== null && place.depth < deepest) {
    const inner = { ...place, depth: place.depth + 1 }
    if (Array.isArray(value)) for (const item of value as readonly unknown[]) collectValue(item, role, inner)
    else if (!(value instanceof Uint8Array)) collectFields(value, role, inner)
  }
}

function collectText(text: string, role: TextRole, place: Place): void {
  place.found.texts.push({ text, role })
  if (role === 'content' || role === 'command' || place.json >= deepestJson || text.length > longestJson)
    return
  if (!/^\s*[[{"]/.test(text)) return
  const parsed = parseJson(text)
  if (parsed !== undefined) collectValue(parsed, role, { ...place, json: place.json + 1 })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function collectCommand(value: unknown, role: 'command' | 'script', place: Place): void {
  const commands = role === 'command' ? place.found.commands : place.found.scripts
  if (typeof value === 'string') {
    commands.push({ kind: 'line', line: value })
  } else if (isTextList(value)) {
    if (value.length > 0) commands.push({ kind: 'words', words: value })
  } else if (Array.isArray(value) && place.depth < deepest) {
    for (const item of value as readonly unknown[]) {
      collectCommand(item, role, { ...place, depth: place.depth + 1 })
    }
  } else if (role === 'command' && value !== null && value !== undefined) {
    commands.push({ kind: 'odd' })
  }
}

const wordKeys = ['args', 'arguments', 'argv', 'parameters', 'params']

function collectNamedCommand(key: string, siblings: Readonly<Record<string, unknown>>, place: Place): void {
  const value = siblings[key]
  if (/s$/i.test(key) && isTextList(value)) {
    for (const line of value) place.found.commands.push({ kind: 'line', line })
    return
  }
  if (key === 'argv' && typeof siblings['command'] === 'string') return
  collectCommand(value, 'command', place)
  if (typeof value !== 'string') return
  // `{ command: 'git', args: ['status'] }`: one program, its words apart.
  for (const wordKey of wordKeys) {
    const words = Object.hasOwn(siblings, wordKey) ? siblings[wordKey] : undefined
    if (typeof words === 'string') place.found.commands.push({ kind: 'line', line: `${value} ${words}` })
    else if (isTextList(words) && words.length > 0) {
      place.found.commands.push({ kind: 'line', line: [value, ...words.map(quoteWord)].join(' ') })
    }
  }
}

function quoteWord(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}
