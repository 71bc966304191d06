// YAML text → plain data, with a way back from any place in the data to its place in the text.
// One parser serves both: values are built from its event stream, and positions from the same stream read again, only
// when there is something to report.
import {
  type AliasEvent,
  boolCoreTag,
  type Event,
  EVENT_ID,
  floatCoreTag,
  getScalarValue,
  intCoreTag,
  NOT_RESOLVED,
  nullCoreTag,
  parseEvents,
  type ScalarEvent,
  type SequenceEvent,
  YAMLException,
} from 'js-yaml/browser'

import { type PathStep, type Problem, quoted } from './diagnostic.js'

export interface YamlDocument {
  readonly value: unknown
  /** Places in the text; computed on first use. */
  readonly source: SourceMap
  /** Problems of the text itself (duplicate keys, aliases, …); the value is usable for further checks, not for loading. */
  readonly problems: readonly Problem[]
}

export interface SourceMap {
  readonly text: string
  /** Start and end offset of the key or value at a path; the nearest existing ancestor when the path does not exist. */
  locate(path: readonly PathStep[], at: 'key' | 'value'): TextRange
}

export interface TextRange {
  readonly start: number
  readonly end: number
}

/** The text is not YAML at all; there is one problem and no value. */
export class YamlSyntaxError extends Error {
  readonly problem: Problem
  readonly offset: number

  constructor(problem: Problem, offset: number) {
    super(problem.message)
    this.problem = problem
    this.offset = offset
  }
}

/** Deep enough for 50 nested conditions, each a mapping in a list, with room for the levels around them. */
const maxDepth = 160
const maxAliases = 100
const maxNodesWithAliases = 100_000

/** @throws YamlSyntaxError */
export function parseYaml(text: string): YamlDocument {
  const problems: Problem[] = []
  const value = new ValueBuilder(text, readEvents(text), problems).build()
  let positions: PositionedNode | undefined
  return {
    value,
    problems,
    source: {
      text,
      locate(path, at) {
        // Read again rather than kept: the events of a large bundle are large themselves, and rarely needed.
        positions ??= new PositionBuilder(text, readEvents(text)).build()
        return locate(positions, path, at)
      },
    },
  }
}

function readEvents(text: string): Event[] {
  try {
    return parseEvents(text, { maxDepth })
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error
    throw syntaxErrorFrom(error)
  }
}

function syntaxErrorFrom(error: YAMLException): YamlSyntaxError {
  const offset = error.mark?.position ?? 0
  if (error.reason.includes('maxDepth')) {
    return new YamlSyntaxError(
      { code: 'yaml-too-deep', path: [], at: 'value', message: `nested more than ${maxDepth} levels deep` },
      offset,
    )
  }
  const hint = error.reason.includes('tab') ? 'indent with spaces; YAML does not allow tabs there' : undefined
  return new YamlSyntaxError(
    {
      code: 'yaml-syntax',
      path: [],
      at: 'value',
      message: `not valid YAML: ${error.reason}`,
      ...(hint === undefined ? {} : { hint }),
    },
    offset,
  )
}

const { DOCUMENT, SCALAR, SEQUENCE, MAPPING, ALIAS, POP } = EVENT_ID

interface Anchored {
  readonly value: unknown
  readonly nodes: number
}

class ValueBuilder {
  readonly #text: string
  readonly #events: readonly Event[]
  readonly #problems: Problem[]
  readonly #anchors = new Map<string, Anchored>()
  #index = 0
  #aliases = 0
  #nodes = 0

  constructor(text: string, events: readonly Event[], problems: Problem[]) {
    this.#text = text
    this.#events = events
    this.#problems = problems
  }

  build(): unknown {
    if (this.#events.length === 0) return null
    const second = this.#events.findIndex((event, index) => index > 0 && event.type === DOCUMENT)
    if (second !== -1) {
      const start = this.#documentStart(second)
      this.#report({
        code: 'yaml-multiple-documents',
        message: 'more than one YAML document in one file',
        hint: 'keep one bundle per file; several files are composed by loading them together',
        range: { start, end: start + 3 },
      })
    }
    this.#index = 1
    const value = this.#node()
    if (this.#aliases > 0 && this.#nodes > maxNodesWithAliases) {
      this.#report({
        code: 'yaml-alias-limit',
        message: `aliases expand to more than ${maxNodesWithAliases} values`,
        hint: 'write the values out, or split the bundle into several files',
        range: { start: 0, end: 0 },
      })
      // What the aliases stand for must not be walked: it may be exponentially large.
      return null
    }
    return value
  }

  /** Where a document after the first is separated from the one before it. */
  #documentStart(index: number): number {
    const first = this.#events[index + 1]
    const content = first === undefined ? 0 : startOf(first)
    const separator = this.#text.lastIndexOf('\n---', content === 0 ? this.#text.length : content)
    return separator === -1 ? content : separator + 1
  }

  #node(): unknown {
    const event = this.#events[this.#index++]
    this.#nodes++
    switch (event?.type) {
      case SCALAR: {
        const value = this.#scalar(event)
        return event.anchorStart === -1 ? value : this.#anchor(event, 1, value)
      }
      case SEQUENCE: {
        const before = this.#nodes
        if (event.tagStart !== -1) this.#expectTag(event, '!!seq')
        const items: unknown[] = []
        while (this.#events[this.#index]?.type !== POP) items.push(this.#node())
        this.#index++
        return event.anchorStart === -1 ? items : this.#anchor(event, this.#nodes - before + 1, items)
      }
      case MAPPING: {
        const before = this.#nodes
        if (event.tagStart !== -1) this.#expectTag(event, '!!map')
        const mapping = this.#mapping()
        return event.anchorStart === -1 ? mapping : this.#anchor(event, this.#nodes - before + 1, mapping)
      }
      case ALIAS:
        return this.#alias(event)
      default:
        return null
    }
  }

  #mapping(): Record<string, unknown> {
    const mapping: Record<string, unknown> = {}
    let keyEvent = this.#events[this.#index]
    while (keyEvent !== undefined && keyEvent.type !== POP) {
      if (keyEvent.type === SCALAR) {
        this.#index++
        if (keyEvent.tagStart !== -1) this.#expectTag(keyEvent, '!!str')
        const key = scalarText(this.#text, keyEvent)
        const valueEvent = this.#events[this.#index]
        const value = this.#node()
        if (Object.hasOwn(mapping, key)) {
          this.#report({
            code: 'yaml-duplicate-key',
            message: `key ${quoted(key)} appears twice in the same mapping`,
            hint: 'keep one of the two; only the first would have been read',
            range: this.#keyRange(keyEvent, valueEvent),
          })
        } else if (key === '__proto__') {
          Object.defineProperty(mapping, key, { value, enumerable: true, configurable: true, writable: true })
        } else {
          mapping[key] = value
        }
      } else {
        const start = startOf(keyEvent)
        const message = 'a key must be plain text, not a list, a mapping or an alias'
        this.#report({ code: 'yaml-syntax', message, range: { start, end: start + 1 } })
        this.#node()
        this.#node()
      }
      keyEvent = this.#events[this.#index]
    }
    this.#index++
    return mapping
  }

  /** An empty key has no place of its own; it is shown where its value begins. */
  #keyRange(key: ScalarEvent, value: Event | undefined): TextRange {
    if (key.valueStart !== -1) return { start: key.valueStart, end: key.valueEnd }
    const start = value === undefined ? 0 : startOf(value)
    return { start, end: start }
  }

  #scalar(event: ScalarEvent): unknown {
    const text = scalarText(this.#text, event)
    if (event.tagStart === -1) return event.style === plainStyle ? resolvePlain(text) : text
    const name = this.#text.slice(event.tagStart, event.tagEnd)
    if (name === '!!str') return text
    const tag = standardTags.get(name)
    const value: unknown = tag === undefined ? NOT_RESOLVED : tag.resolve(text, true, tag.tagName)
    if (value !== NOT_RESOLVED) return value
    this.#refuseTag(event, name)
    return text
  }

  #alias(event: AliasEvent): unknown {
    const range = { start: event.anchorStart - 1, end: event.anchorEnd }
    if (++this.#aliases === maxAliases + 1) {
      const message = `more than ${maxAliases} aliases`
      this.#report({ code: 'yaml-alias-limit', message, hint: 'write the values out', range })
    }
    const name = this.#text.slice(event.anchorStart, event.anchorEnd)
    const anchored = this.#anchors.get(name)
    if (anchored === undefined) {
      const message = `alias ${quoted(`*${name}`)} refers to nothing defined before it`
      this.#report({ code: 'yaml-syntax', message, hint: 'quote a text that begins with `*`', range })
      return null
    }
    this.#nodes += anchored.nodes
    return anchored.value
  }

  #anchor(event: { anchorStart: number; anchorEnd: number }, nodes: number, value: unknown): unknown {
    this.#anchors.set(this.#text.slice(event.anchorStart, event.anchorEnd), { value, nodes })
    return value
  }

  #expectTag(event: { tagStart: number; tagEnd: number }, standard: string): void {
    const name = this.#text.slice(event.tagStart, event.tagEnd)
    if (name !== standard) this.#refuseTag(event, name)
  }

  #refuseTag({ tagStart, tagEnd }: { tagStart: number; tagEnd: number }, name: string): void {
    this.#report({
      code: 'yaml-tag',
      message: `tag ${quoted(name)} is not allowed here`,
      hint: 'quote the value if it must be text',
      range: { start: tagStart, end: tagEnd },
    })
  }

  #report(problem: Pick<Problem, 'code' | 'message' | 'hint'> & { readonly range: TextRange }): void {
    if (this.#problems.length < 100) this.#problems.push({ ...problem, path: [], at: 'value' })
  }
}

function startOf(event: Event): number {
  if ('valueStart' in event) return Math.max(event.valueStart, 0)
  if ('start' in event) return event.start
  return 'anchorStart' in event ? event.anchorStart - 1 : 0
}

const plainStyle = 1
const blockStyle = 1

function scalarText(text: string, event: ScalarEvent): string {
  return event.fast ? text.slice(event.valueStart, event.valueEnd) : getScalarValue(text, event)
}

/** First characters a YAML 1.2 core null, boolean or number can have; everything else is text. */
const resolvable = /^[-+.~0-9tTfFnN]|^$/
const coreTags = [nullCoreTag, boolCoreTag, intCoreTag, floatCoreTag] as const
/** Tags that only spell out what the core schema knows; every other tag is refused. */
const standardTags = new Map<string, (typeof coreTags)[number]>([
  ['!!null', nullCoreTag],
  ['!!bool', boolCoreTag],
  ['!!int', intCoreTag],
  ['!!float', floatCoreTag],
])

function resolvePlain(text: string): unknown {
  if (!resolvable.test(text)) return text
  for (const tag of coreTags) {
    const value: unknown = tag.resolve(text, false, tag.tagName)
    if (value !== NOT_RESOLVED) return value
  }
  return text
}

interface PositionedNode extends TextRange {
  readonly entries?: ReadonlyMap<PathStep, { readonly key: TextRange; readonly value: PositionedNode }>
}

class PositionBuilder {
  readonly #text: string
  readonly #events: readonly Event[]
  #index = 1

  constructor(text: string, events: readonly Event[]) {
    this.#text = text
    this.#events = events
  }

  build(): PositionedNode {
    return this.#events.length === 0 ? { start: 0, end: 0 } : this.#node(0)
  }

  /** An absent value has no place of its own; it is shown where its key ends. */
  #node(absentAt: number): PositionedNode {
    const event = this.#events[this.#index++]
    switch (event?.type) {
      case SCALAR:
        return event.valueStart === -1 ? { start: absentAt, end: absentAt } : this.#scalarRange(event)
      case ALIAS:
        return { start: event.anchorStart - 1, end: event.anchorEnd }
      case SEQUENCE:
      case MAPPING: {
        const entries = event.type === MAPPING ? this.#pairs() : this.#items(event)
        let end = event.start
        for (const { value } of entries.values()) end = Math.max(end, value.end)
        return { start: event.start, end: Math.max(end, event.start + 1), entries }
      }
      default:
        return { start: absentAt, end: absentAt }
    }
  }

  #items({ start, style }: SequenceEvent): Map<PathStep, { key: TextRange; value: PositionedNode }> {
    const entries = new Map<PathStep, { key: TextRange; value: PositionedNode }>()
    let end = start
    while (this.#events[this.#index]?.type !== POP) {
      const value = this.#node(this.#entryAfter(end, style))
      entries.set(entries.size, { key: value, value })
      end = Math.max(end, value.end)
    }
    this.#index++
    return entries
  }

  /** An empty list entry is shown at the dash or comma that makes it one. */
  #entryAfter(offset: number, style: SequenceEvent['style']): number {
    const mark = style === blockStyle ? /(?<=\n *)-/ : /[,\]]/
    const distance = this.#text.slice(offset, offset + 10_000).search(mark)
    return distance === -1 ? offset : offset + distance
  }

  #pairs(): Map<PathStep, { key: TextRange; value: PositionedNode }> {
    const entries = new Map<PathStep, { key: TextRange; value: PositionedNode }>()
    let event = this.#events[this.#index]
    while (event !== undefined && event.type !== POP) {
      const name = event.type === SCALAR ? scalarText(this.#text, event) : ''
      const key = this.#node(0)
      // The last of two equal keys is kept: it is the one a duplicate-key problem points at.
      entries.set(name, { key, value: this.#node(key.end) })
      event = this.#events[this.#index]
    }
    this.#index++
    return entries
  }

  #scalarRange(event: ScalarEvent): TextRange {
    const before = this.#text[event.valueStart - 1]
    const quoted = event.style !== plainStyle && (before === '"' || before === "'")
    const start = quoted ? event.valueStart - 1 : event.valueStart
    return { start, end: quoted ? event.valueEnd + 1 : event.valueEnd }
  }
}

function locate(root: PositionedNode, path: readonly PathStep[], at: 'key' | 'value'): TextRange {
  let node = root
  let key: TextRange | undefined
  for (const step of path) {
    const entry = node.entries?.get(step)
    if (entry === undefined) return key ?? node
    node = entry.value
    key = entry.key
  }
  return at === 'key' && key !== undefined ? key : node
}
