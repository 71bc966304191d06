// What may be written next in a text of contracts, by their JSON Schema. Reads the text line by line and by its
// indentation, because a text that is being written does not parse.

/** As much of JSON Schema as the schema of contracts uses. */
export interface Schema {
  readonly $ref?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: boolean | Schema
  readonly propertyNames?: Schema
  readonly items?: Schema
  readonly allOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly if?: Schema
  readonly then?: Schema
  readonly definitions?: Readonly<Record<string, Schema>>
}

export interface Completion {
  /** What is there of the word already begins here. */
  readonly from: number
  /** As they are to be inserted. */
  readonly words: readonly string[]
}

const most = 30

export function completeYaml(root: Schema, text: string, position: number): Completion | undefined {
  const lineStart = text.lastIndexOf('\n', position - 1) + 1
  const typed = text.slice(lineStart, position)
  const [, before = '', key, word = ''] = /^(\s*(?:- +)*)(?:([\w.-]+): +)?([\w./-]*)$/.exec(typed) ?? []
  // Inside quotes, braces or a comment nothing is known.
  if (before + (key ?? '') + word === '' && typed !== '') return undefined
  if (/[{["'#]/.test(typed)) return undefined
  const lines = text.split('\n')
  const current = text.slice(0, lineStart).split('\n').length - 1
  const entries = lines.map((line, index) =>
    // The word that is being written is no key yet.
    readLine(index === current && key === undefined ? `${before}_` : line),
  )
  const place = locate(entries, current)
  const nodes = resolve(root, place)
  const wanted = key === undefined ? keysOf(root, nodes, place.scope) : valuesOf(root, nodes, { key, place })
  const words = [...new Set(wanted)].filter((each) => each.startsWith(word) && each !== word).slice(0, most)
  if (words.length === 0) return undefined
  return { from: position - word.length, words: key === undefined ? words.map((each) => `${each}: `) : words }
}

interface Entry {
  /** Where its key stands. */
  readonly indent: number
  /** Where the dash stands that begins the item it is the first of. */
  readonly dash: number | undefined
  readonly key: string
  readonly value: string
}

type Scope = ReadonlyMap<string, string>

interface Place {
  /** Keys from the top on; `item` stands for any item of a list. */
  readonly path: readonly (string | typeof item)[]
  /** What else is in the mappings on the way, the innermost last. */
  readonly scopes: readonly Scope[]
  readonly scope: Scope
}

const item = Symbol('item')

function readLine(line: string): Entry | undefined {
  const [whole, spaces = '', dashes = '', rest = ''] = /^( *)((?:- +)?)(.*)$/.exec(line) ?? []
  if (whole === undefined || rest === '' || rest.startsWith('#')) return undefined
  const [, key = '', value = ''] = /^([\w./-]+)(?::(?:\s+(.*))?)?$/.exec(rest) ?? []
  return {
    indent: spaces.length + dashes.length,
    dash: dashes === '' ? undefined : spaces.length,
    key,
    value: value.replace(/\s+#.*$/, '').trim(),
  }
}

function locate(entries: readonly (Entry | undefined)[], current: number): Place {
  const path: (string | typeof item)[] = []
  const scopes: Scope[] = []
  let index: number | undefined = current
  for (;;) {
    const { start, scope } = readMapping(entries, index)
    scopes.unshift(scope)
    const first = entries[start]
    const isItem = first?.dash !== undefined
    if (isItem) path.unshift(item)
    const beneath = isItem ? (first.dash ?? 0) + 1 : (first?.indent ?? 0)
    index = findAbove(entries, start, beneath)
    const parent = index === undefined ? undefined : entries[index]
    if (index === undefined || parent === undefined) break
    path.unshift(parent.key)
  }
  return { path, scopes, scope: scopes.at(-1) ?? new Map() }
}

/** The nearest line above that is less far to the right. */
function findAbove(
  entries: readonly (Entry | undefined)[],
  from: number,
  beneath: number,
): number | undefined {
  for (let index = from - 1; index >= 0; index--)
    if ((entries[index]?.indent ?? Infinity) < beneath) return index
  return undefined
}

/** The mapping a line belongs to: where it starts, and its keys. */
function readMapping(
  entries: readonly (Entry | undefined)[],
  at: number,
): { readonly start: number; readonly scope: Scope } {
  const indent = entries[at]?.indent ?? 0
  let start = at
  for (let index = at; index >= 0; index--) {
    const entry = entries[index]
    if (entry === undefined) continue
    if (entry.indent < indent) break
    if (entry.indent > indent) continue
    start = index
    if (entry.dash !== undefined) break
  }
  const scope = new Map<string, string>()
  for (let index = start; index < entries.length; index++) {
    const entry = entries[index]
    if (entry === undefined) continue
    if (entry.indent < indent || (index > start && entry.dash !== undefined && entry.dash < indent)) break
    if (entry.indent === indent && index !== at) scope.set(entry.key, entry.value)
  }
  return { start, scope }
}

/** What the schema says about a place. */
function resolve(root: Schema, { path, scopes }: Place): readonly Schema[] {
  let nodes: readonly Schema[] = [root]
  let depth = 0
  for (const step of path) {
    if (step === item) {
      nodes = nodes.flatMap((node) => expand(root, node, none)).flatMap(({ items }) => items ?? [])
      continue
    }
    const scope = scopes[depth++] ?? none
    nodes = nodes.flatMap((node) => expand(root, node, scope)).flatMap((node) => underKey(node, step))
  }
  return nodes
}

const none: Scope = new Map()

function underKey({ properties, additionalProperties }: Schema, key: string): readonly Schema[] {
  const named = properties !== undefined && Object.hasOwn(properties, key) ? properties[key] : undefined
  if (named !== undefined) return [named]
  return typeof additionalProperties === 'object' ? [additionalProperties] : []
}

/** A schema and all that it refers to, as far as what is written allows. */
function expand(root: Schema, node: Schema, scope: Scope): readonly Schema[] {
  const referred = node.$ref?.replace('#/definitions/', '')
  const target = referred === undefined ? undefined : root.definitions?.[referred]
  const parts = [...(node.allOf ?? []), ...(node.anyOf ?? []), ...(node.oneOf ?? [])]
  return [
    node,
    ...(target === undefined ? [] : expand(root, target, scope)),
    ...parts.flatMap((part) => expand(root, part, scope)),
    ...(node.then !== undefined && mayHold(node.if, scope) ? expand(root, node.then, scope) : []),
  ]
}

/** Whether nothing that is written contradicts a condition. */
function mayHold(condition: Schema | undefined, scope: Scope): boolean {
  return Object.entries(condition?.properties ?? {}).every(([key, { const: wanted }]) => {
    const written = scope.get(key)
    return wanted === undefined || written === undefined || written === '' || written === wanted
  })
}

function keysOf(root: Schema, nodes: readonly Schema[], scope: Scope): readonly string[] {
  return nodes
    .flatMap((node) => expand(root, node, scope))
    .flatMap(({ properties, propertyNames }) => [
      ...Object.keys(properties ?? {}),
      ...(propertyNames?.anyOf ?? []).flatMap((names) => (names.enum ?? []).map(String)),
    ])
    .filter((key) => !scope.has(key))
}

function valuesOf(
  root: Schema,
  nodes: readonly Schema[],
  { key, place }: { readonly key: string; readonly place: Place },
): readonly string[] {
  return nodes
    .flatMap((node) => expand(root, node, place.scope))
    .flatMap((node) => underKey(node, key))
    .flatMap((node) => expand(root, node, none))
    .flatMap((node) => [
      ...(node.enum ?? []),
      ...(node.const === undefined ? [] : [node.const]),
      ...(node.type === 'boolean' ? [true, false] : []),
    ])
    .map(String)
}
