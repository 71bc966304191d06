// sed scripts: the `e` command and flag start a shell; `r`, `R`, `w`, `W` name files.
import type { Invocation, Started } from './invocation.js'
import { isStatic } from './shell-word.js'

const VALUED = /^(?:-l|--line-length)$/
const FLAGS =
  /^(?:-[nrEsuz]+|-[nrEsuz]*i.*|--(?:quiet|silent|regexp-extended|separate|unbuffered|null-data|zero-terminated|debug|posix|follow-symlinks|sandbox|help|version|in-place(?:=.*)?|line-length=.*)|-l\d+)$/s

export function readSed({ program, words, appends }: Invocation): readonly Started[] {
  const started: Started[] = []
  const operands: string[] = []
  let given = false
  for (let index = 0; index < words.length; index++) {
    const text = words[index]?.text ?? ''
    const cluster = /^-[nrEsuz]*([ef])(.*)$/s.exec(text) ?? /^--(e)[a-z]*(?:=(.*))?$/s.exec(text)
    if (text === '--') {
      operands.push(...words.slice(index + 1).map((word) => word.text))
      break
    }
    if (cluster !== null) {
      given = true
      const glued = cluster[2] ?? ''
      const value = glued === '' && !text.includes('=') ? words[++index]?.text : glued
      if (cluster[1] === 'e') scan(value ?? '', program, started)
    } else if (text.startsWith('--f')) {
      given = true
      if (!text.includes('=') && !text.startsWith('--fo')) index++
    } else if (VALUED.test(text)) index++
    else if (!text.startsWith('-') || text === '-') operands.push(text)
    else if (!FLAGS.test(text)) {
      return [...started, { kind: 'refused', reason: `${program} has an option that is not known here` }]
    }
  }
  if (!given && operands[0] !== undefined) scan(operands[0], program, started)
  // BSD sed takes the suffix of -i as a word of its own.
  if (!given && operands[0] === '' && operands[1] !== undefined) scan(operands[1], program, started)
  if (!given && operands[0] === undefined && appends) {
    started.push({ kind: 'refused', reason: `the script of ${program} comes from elsewhere` })
  }
  return started
}

function scan(script: string, program: string, started: Started[]): void {
  // A value inside a substitution cannot end it without a delimiter, but the line does not show whether it has one.
  if (!isStatic(script)) {
    started.push({ kind: 'refused', reason: `the script of ${program} is only known at run time` })
    return
  }
  for (const found of readScript(script)) {
    if (found.kind === 'file') started.push({ kind: 'word', text: found.text })
    else if (found.kind === 'run') {
      const via = `${program} e`
      if (found.text === '') started.push({ kind: 'unseen', name: via, via })
      else started.push({ kind: 'shell', text: found.text, via })
    } else started.push({ kind: 'unseen', name: `${program} script`, via: `${program} script` })
  }
}

interface Found {
  readonly kind: 'file' | 'run' | 'unknown'
  readonly text: string
}

function readScript(script: string): readonly Found[] {
  const found: Found[] = []
  let at = 0
  while (at < script.length) {
    const start = skipAddresses(script, at)
    if (start === undefined) return [...found, { kind: 'unknown', text: '' }]
    at = start
    const command = script.charAt(at++)
    if (command === '') break
    if (command === '#') at = endOfLine(script, at)
    else if ('{}=dDgGhHnNpPxzF'.includes(command)) continue
    else if ('lLqQ'.includes(command)) at += /^\s*\d*/.exec(script.slice(at))?.[0].length ?? 0
    else if ('bTt:v'.includes(command)) at = endOf(script, at, command === ':' ? /\n/ : /[\n;}]/)
    else if ('aic'.includes(command)) at = endOfText(script, at)
    else if ('rRwW'.includes(command)) {
      const end = endOfLine(script, at)
      found.push({ kind: 'file', text: script.slice(at, end).trim() })
      at = end
    } else if (command === 'e') {
      const end = endOfLine(script, at)
      found.push({ kind: 'run', text: script.slice(at, end).trim() })
      at = end
    } else if (command === 's' || command === 'y') {
      const end = readSubstitution(script, at, found)
      if (end === undefined) return [...found, { kind: 'unknown', text: '' }]
      at = end
    } else return [...found, { kind: 'unknown', text: '' }]
  }
  return found
}

function readSubstitution(script: string, at: number, found: Found[]): number | undefined {
  const delimiter = script.charAt(at)
  const middle = endOfPart(script, at, delimiter)
  const end = middle === undefined ? undefined : endOfPart(script, middle, delimiter)
  if (end === undefined) return undefined
  const flags = /^[gpiImM\d\se]*/.exec(script.slice(end + 1))?.[0].replace(/[\n].*/s, '') ?? ''
  if (flags.includes('e')) found.push({ kind: 'run', text: '' })
  const next = end + 1 + flags.length
  if (script.charAt(next) !== 'w') return next
  const stop = endOfLine(script, next)
  found.push({ kind: 'file', text: script.slice(next + 1, stop).trim() })
  return stop
}

function endOfPart(script: string, from: number, delimiter: string): number | undefined {
  for (let at = from + 1; at < script.length; at++) {
    if (script[at] === '\\') at++
    else if (script[at] === delimiter) return at
  }
  return undefined
}

function skipAddresses(script: string, from: number): number | undefined {
  let at = from
  while (at < script.length) {
    const character = script.charAt(at)
    if (/[\s;,!\d$~+]/.test(character)) at++
    else if (character === '/' || character === '\\') {
      const open = character === '/' ? at : at + 1
      const end = endOfPart(script, open, script.charAt(open))
      if (end === undefined) return undefined
      at = end + 1
      while (/[IM]/.test(script.charAt(at))) at++
    } else return at
  }
  return at
}

function endOfLine(script: string, from: number): number {
  return endOf(script, from, /\n/)
}

/** Text of `a`, `i` and `c` goes on over lines that end in a backslash. */
function endOfText(script: string, from: number): number {
  let at = from
  for (;;) {
    const end = endOfLine(script, at)
    if (end >= script.length || script[end - 1] !== '\\') return end
    at = end + 1
  }
}

function endOf(script: string, from: number, end: RegExp): number {
  const found = script.slice(from).search(end)
  return found === -1 ? script.length : from + found
}
