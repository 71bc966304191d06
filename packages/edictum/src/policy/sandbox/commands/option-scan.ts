// Finds options in an argument list the way getopt and its relatives do, without knowing all of a program's options.
import type { ShellWord } from './shell-word.js'

export interface OptionUse {
  /** Undefined when the value should be the next word and there is none. */
  readonly value: ShellWord | undefined
  /** Place of the first word after the option and its value. */
  readonly next: number
}

/** How the word at `index` uses the option, if it does. */
export function readOption(
  words: readonly ShellWord[],
  index: number,
  scan: OptionScan,
): OptionUse | undefined {
  const word = words[index]
  if (word === undefined) return undefined
  const text = word.text
  for (const option of scan.options) {
    const glued = matchOption(text, option, scan)
    if (glued === undefined) continue
    if (glued !== '') return { value: { text: glued.slice(1), splits: word.splits }, next: index + 1 }
    return { value: words[index + 1], next: index + 2 }
  }
  return undefined
}

export interface OptionScan {
  readonly options: readonly string[]
  readonly except: readonly string[]
  readonly valuedLetters: string
}

/** Undefined: not this option. Empty: the value is the next word. Otherwise one character, then the value. */
function matchOption(text: string, option: string, scan: OptionScan): string | undefined {
  if (option === '--') return text === '--' ? '' : undefined
  if (option.startsWith('--')) return matchLong(text, option, scan.except)
  if (text === option) return ''
  if (option.length !== 2 || !text.startsWith('-') || text.startsWith('--')) {
    return option.length > 2 && text.startsWith(`${option}=`) ? text.slice(option.length) : undefined
  }
  const letter = option.charAt(1)
  for (let at = 1; at < text.length; at++) {
    const found = text.charAt(at)
    if (found === letter) return text.length === at + 1 ? '' : withoutEquals(text.slice(at))
    if (scan.valuedLetters.includes(found) || !/[A-Za-z0-9]/.test(found)) return undefined
  }
  return undefined
}

function matchLong(text: string, option: string, except: readonly string[]): string | undefined {
  if (!text.startsWith('--') || text.length < 3) return undefined
  const equals = text.indexOf('=')
  const name = equals === -1 ? text : text.slice(0, equals)
  if (!option.startsWith(name) || (name !== option && except.includes(name))) return undefined
  return equals === -1 ? '' : text.slice(equals)
}

function withoutEquals(cluster: string): string {
  return cluster.charAt(1) === '=' ? cluster.slice(1) : cluster
}

/**
 * Places where the first operand may stand. A word after an option without `=` may be its value or the operand, so both it
 * and the next one count.
 */
export function firstOperands(words: readonly ShellWord[]): readonly number[] {
  const places: number[] = []
  for (let index = 0; index < words.length; index++) {
    const text = words[index]?.text ?? ''
    if (text.startsWith('-') && text !== '-') continue
    places.push(index)
    const before = words[index - 1]?.text ?? ''
    if (!before.startsWith('-') || before.includes('=') || before === '--') break
  }
  return places
}
