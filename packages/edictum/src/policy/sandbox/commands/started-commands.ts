// What a command starts besides itself, read from its arguments and the tables.
import { type ExecOption, EXEC_OPTIONS, VALUED_LETTERS } from './exec-options.js'
import { readAwk } from './awk-program.js'
import { readBuiltin } from './shell-builtins.js'
import { readGit } from './git-command.js'
import type { Invocation, Reader, Started } from './invocation.js'
import { firstOperands, readOption } from './option-scan.js'
import { readSed } from './sed-script.js'
import { readShell, SHELLS } from './shell-invocation.js'
import { isStatic, literalWord, markExpansion, type ShellWord } from './shell-word.js'
import { readWrapper } from './wrapper-invocation.js'
import { type Wrapper, WRAPPERS } from './wrappers.js'

export interface ProgramTable {
  readonly options: ReadonlyMap<string, readonly ExecOption[]>
  readonly wrappers: ReadonlyMap<string, Wrapper>
}

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['git', readGit],
  ...['awk', 'gawk', 'mawk', 'nawk', 'original-awk', 'goawk'].map((name): [string, Reader] => [
    name,
    readAwk,
  ]),
  ...['sed', 'gsed', 'ssed'].map((name): [string, Reader] => [name, readSed]),
  ...SHELLS.map((name): [string, Reader] => [name, readShell]),
])

export function buildProgramTable(extra: {
  readonly execOptions?: readonly ExecOption[]
  readonly wrappers?: readonly Wrapper[]
}): ProgramTable {
  const options = new Map<string, ExecOption[]>()
  for (const entry of [...EXEC_OPTIONS, ...(extra.execOptions ?? [])]) {
    for (const program of entry.programs) {
      const known = options.get(program)
      if (known === undefined) options.set(program, [entry])
      else known.push(entry)
    }
  }
  const wrappers = new Map<string, Wrapper>()
  for (const wrapper of [...WRAPPERS, ...(extra.wrappers ?? [])]) {
    for (const program of wrapper.programs) wrappers.set(program, wrapper)
  }
  return { options, wrappers }
}

/** The table's name of a program: no folder, no Windows suffix, no version number. */
export function programOf(name: string, table: ProgramTable): string {
  const base = name.slice(name.lastIndexOf('/') + 1).replace(/\.(?:exe|cmd|bat|com)$/i, '')
  if (isKnown(base, table)) return base
  const plain = base.replace(/[-.]?\d+(?:\.\d+)*$/, '')
  if (isKnown(plain, table)) return plain
  if (/^ld-(?:linux|musl)/.test(base)) return 'ld.so'
  return base
}

/** Whether arguments can make this program start another one. */
export function isKnown(program: string, table: ProgramTable): boolean {
  return table.options.has(program) || table.wrappers.has(program) || READERS.has(program)
}

/** Whether its arguments are read by code of its own rather than by a table. */
export function hasOwnReader(program: string): boolean {
  return READERS.has(program)
}

export function readStarted(written: Invocation, table: ProgramTable): readonly Started[] {
  const started: Started[] = []
  const invocation = /^(?:g|bsd)?tar$/.test(written.program)
    ? { ...written, words: dashCluster(written.words) }
    : written
  const { program, words } = invocation
  const entries = table.options.get(program)
  if (entries !== undefined) readEntries(entries, invocation, started)
  const wrapper = table.wrappers.get(program)
  if (wrapper !== undefined) started.push(...readWrapper(wrapper, invocation))
  const reader = READERS.get(program)
  if (reader !== undefined) started.push(...reader(invocation))
  started.push(...readBuiltin(invocation))
  if (invocation.appends && words.length === 0 && isKnown(program, table)) {
    started.push({ kind: 'refused', reason: `the arguments of ${program} come from elsewhere` })
  }
  return started
}

/** `tar xIf program file` gives the values of a first cluster without dash in the words after it. */
function dashCluster(words: readonly ShellWord[]): readonly ShellWord[] {
  const [first, ...rest] = words
  if (first === undefined || !/^[A-Za-z]+$/.test(first.text)) return words
  const dashed: ShellWord[] = []
  for (const letter of first.text) {
    dashed.push(literalWord(`-${letter}`))
    const value = 'bfCgHKLNTVXIF'.includes(letter) ? rest.shift() : undefined
    if (value !== undefined) dashed.push(value)
  }
  return [...dashed, ...rest]
}

function readEntries(entries: readonly ExecOption[], invocation: Invocation, started: Started[]): void {
  const { words } = invocation
  const subcommands = firstOperands(words)
  const hasOptions = words.some(({ text }) => text.startsWith('-'))
  for (const entry of entries) {
    if (entry.options !== undefined && !hasOptions) continue
    if (entry.subcommand === undefined) {
      readEntry(entry, invocation, started)
      continue
    }
    const place = subcommands.find((index) => words[index]?.text === entry.subcommand)
    if (place !== undefined) readEntry(entry, { ...invocation, words: words.slice(place + 1) }, started)
  }
}

/** The words are those after the subcommand, if the entry names one. */
function readEntry(entry: ExecOption, invocation: Invocation, started: Started[]): void {
  const { program, words } = invocation
  const label = entry.subcommand ?? ''
  if (entry.operand !== undefined) {
    readOperands(entry, invocation, started)
  } else if (entry.options !== undefined) {
    readOptions(entry, invocation, started)
  } else if (words.length > 0 || label !== '' || invocation.input !== undefined) {
    const via =
      label === '' ? (entry.runs === 'unseen' ? `${program} operands` : program) : `${program} ${label}`
    addStarted(entry, { via, words }, started)
  }
}

function readOperands(entry: ExecOption, { program, words }: Invocation, started: Started[]): void {
  for (const { text } of words) {
    const match = entry.operand?.exec(text)
    if (match === null || match === undefined) continue
    const shown = text.length > 24 ? text.slice(0, 24) : text
    const via = `${program} ${isStatic(shown) ? shown : 'operand'}`
    addStarted(entry, { via, words: [{ text: match[1] ?? text, splits: false }] }, started)
  }
}

function readOptions(entry: ExecOption, { program, words }: Invocation, started: Started[]): void {
  const scan = {
    options: entry.options ?? [],
    except: entry.except ?? [],
    valuedLetters: VALUED_LETTERS[program] ?? '',
  }
  const end = entry.leading === true ? (firstOperands(words).at(-1) ?? words.length) : words.length
  for (let index = 0; index < end; index++) {
    const use = readOption(words, index, scan)
    if (use !== undefined) {
      const via = `${program} ${spellingOf(entry, words[index]?.text ?? '')}`
      const name = `${program} ${label(entry)}`
      if (entry.value === 'rest') {
        addStarted(entry, { via, name, words: words.slice(index + 1) }, started)
        return
      }
      if (entry.value === 'end') {
        const from = index + 1
        let stop = from
        while (stop < words.length && !endsCommand(words, stop)) stop++
        addStarted(entry, { via, words: words.slice(from, stop).map(markPlaceholder) }, started)
        index = stop
      } else {
        const value = entry.value === 'none' ? { text: '', splits: false } : use.value
        if (matchesValue(entry, value?.text))
          addStarted(entry, { via, name, words: value === undefined ? [] : [value] }, started)
      }
    }
    if (words[index]?.text === '--' && !scan.options.includes('--')) return
  }
}

function endsCommand(words: readonly ShellWord[], index: number): boolean {
  const text = words[index]?.text
  return text === ';' || (text === '+' && words[index - 1]?.text === '{}')
}

/** An empty value for a required form still counts: the real value may come from where we cannot see. */
function matchesValue(entry: ExecOption, value: string | undefined): boolean {
  return entry.matches === undefined || value === undefined || !isStatic(value) || entry.matches.test(value)
}

/** The name of code that is not in the line does not depend on how the option was spelled. */
function label({ subcommand, options }: ExecOption): string {
  const option = options?.[0] ?? ''
  return subcommand === undefined ? option : `${subcommand} ${option}`
}

function spellingOf(entry: ExecOption, text: string): string {
  const options = entry.options ?? []
  return options.find((option) => text === option || text.startsWith(`${option}=`)) ?? options[0] ?? text
}

function markPlaceholder(word: ShellWord): ShellWord {
  return word.text.includes('{}')
    ? { text: word.text.replaceAll('{}', markExpansion('{}')), splits: false }
    : word
}

function addStarted(
  entry: ExecOption,
  use: { readonly via: string; readonly name?: string; readonly words: readonly ShellWord[] },
  started: Started[],
): void {
  const { via, words } = use
  const text = words.map((word) => word.text).join(' ')
  if (entry.value === 'rest' && entry.matches !== undefined && !entry.matches.test(text)) return
  if (entry.runs === 'unseen') {
    started.push({ kind: 'unseen', name: use.name ?? via, via })
  } else if (entry.runs === 'shell') {
    const inner = isStatic(text) ? (entry.matches?.exec(text)?.[1] ?? text) : text
    started.push({ kind: 'shell', text: inner, via })
  } else {
    const command = words[0]?.text === '--' ? words.slice(1) : words
    const first = command[0]?.text
    if (first === undefined || first.startsWith('-')) started.push({ kind: 'unseen', name: via, via })
    else started.push({ kind: 'argv', words: command, via })
  }
}
