// awk programs: `system`, pipes and indirect calls start programs; strings may be file names.
import type { Invocation, Started } from './invocation.js'
import { isStatic } from './shell-word.js'

export function readAwk({ program, words, appends }: Invocation): readonly Started[] {
  const started: Started[] = []
  let given = false
  for (let index = 0; index < words.length; index++) {
    const text = words[index]?.text ?? ''
    if (text === '--') {
      index++
      if (!given) scan(words[index]?.text, program, started)
      return started
    }
    if (!text.startsWith('-') || text === '-') {
      if (!given) scan(text, program, started)
      return started
    }
    if (/^-e$|^--source$/.test(text)) {
      given = true
      scan(words[++index]?.text, program, started)
    } else if (/^-e.|^--source=/s.test(text)) {
      given = true
      scan(text.replace(/^-e|^--source=/, ''), program, started)
    } else if (/^-f|^--file|^-E|^--exec/.test(text)) {
      given = true
      if (/^(?:-f|--file|-E|--exec)$/.test(text)) index++
    } else if (/^(?:-[vFil]|--(?:assign|field-separator|include|load))$/.test(text)) {
      index++
    } else if (!/^-[vFil].|^--[a-z-]+(?:=.*)?$|^-[bcCdDghHIknNOprsStVLmMWPo]/s.test(text)) {
      return [...started, { kind: 'refused', reason: `${program} has an option that is not known here` }]
    }
  }
  if (!given && appends)
    started.push({ kind: 'refused', reason: `the program of ${program} comes from elsewhere` })
  return started
}

function scan(text: string | undefined, program: string, started: Started[]): void {
  if (text === undefined) return
  if (!isStatic(text)) {
    started.push({ kind: 'refused', reason: `the program of ${program} is only known at run time` })
    return
  }
  const { code, strings } = separate(text)
  for (const string of strings) started.push({ kind: 'word', text: string })
  if (/\bsystem\b/.test(code))
    started.push({ kind: 'unseen', name: `${program} system`, via: `${program} system` })
  if (/(?<!\|)\|(?!\|)|\|&/.test(code))
    started.push({ kind: 'unseen', name: `${program} pipe`, via: `${program} pipe` })
  if (code.includes('@')) started.push({ kind: 'unseen', name: `${program} @`, via: `${program} @` })
  if (strings.some((string) => string.startsWith('/inet'))) {
    started.push({ kind: 'unseen', name: `${program} network`, via: `${program} network` })
  }
}

/** The program without the insides of its strings and patterns, and the strings. */
function separate(text: string): { readonly code: string; readonly strings: readonly string[] } {
  const strings: string[] = []
  let code = ''
  // The end of the code so far: looking at all of it before every slash would take quadratic time.
  let tail = ''
  let afterBlank = false
  const append = (piece: string): void => {
    code += piece
    if (/^\s$/.test(piece)) afterBlank = true
    else {
      tail = (tail + (afterBlank ? ' ' : '') + piece).slice(-longestTail)
      afterBlank = false
    }
  }
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === '"') {
      const end = endOf(text, at, '"')
      strings.push(text.slice(at + 1, end).replaceAll(/\\(.)/gs, '$1'))
      append('""')
      at = end
    } else if (character === '#') {
      const end = text.indexOf('\n', at)
      at = end === -1 ? text.length : end - 1
    } else if (character === '/' && beginsPattern(tail)) {
      const end = endOf(text, at, '/')
      // A pattern never spans lines: then this was a division after all.
      if (end < text.length && !text.slice(at, end).includes('\n')) {
        append('0')
        at = end
      } else append(character)
    } else if (character === '\\') {
      at++
    } else append(character)
  }
  return { code, strings }
}

/** A keyword and the character before it. */
const longestTail = 8

function beginsPattern(tail: string): boolean {
  return tail === '' || /[-({,;!~&|=<>+*%^?:}]$|\b(?:return|print|printf|case|in|else|do)$/.test(tail)
}

function endOf(text: string, from: number, end: string): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === end) return at
  }
  return text.length
}
