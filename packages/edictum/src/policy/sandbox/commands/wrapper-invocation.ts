// Reads past the options of a wrapper to the command it starts.
import type { Invocation, Started } from './invocation.js'
import { isStatic, literalWord, markExpansion, type ShellWord } from './shell-word.js'
import type { Wrapper } from './wrappers.js'

interface WrapperOptions {
  readonly flags: ReadonlySet<string>
  readonly gluing: ReadonlySet<string>
  readonly valued: ReadonlySet<string>
  readonly asks: ReadonlySet<string>
}

const compiled = new WeakMap<Wrapper, WrapperOptions>()

function optionsOf(wrapper: Wrapper): WrapperOptions {
  const known = compiled.get(wrapper)
  if (known !== undefined) return known
  const flags = listed(wrapper.flags)
  const options: WrapperOptions = {
    flags: new Set(flags.filter((flag) => !flag.endsWith('…'))),
    gluing: new Set(flags.filter((flag) => flag.endsWith('…')).map((flag) => flag.slice(0, -1))),
    valued: new Set(listed(wrapper.valued)),
    asks: new Set(listed(wrapper.asks)),
  }
  compiled.set(wrapper, options)
  return options
}

function listed(text: string | undefined): string[] {
  return text === undefined ? [] : text.split(' ')
}

type Step = 'flag' | 'value-next' | 'asks' | 'unknown' | { readonly glued: string }

export function readWrapper(wrapper: Wrapper, invocation: Invocation): readonly Started[] {
  const { program } = invocation
  const options = optionsOf(wrapper)
  const started: Started[] = []
  let words = invocation.words
  let placeholder: string | undefined
  let index = 0
  for (; index < words.length; index++) {
    const text = words[index]?.text ?? ''
    if (text === '--') {
      index++
      break
    }
    if (!text.startsWith('-') || (text === '-' && !options.flags.has('-'))) break
    if (program === 'env' && /^-[iv0]*S|^--split-string/.test(text)) {
      return [...started, ...splitString(words, index, invocation)]
    }
    const step = readStep(text, options)
    if (step === 'unknown')
      return [...started, refuse(`${program} has an option that is not known here: ${show(text)}`)]
    if (step === 'asks') return started
    const implied =
      wrapper.placeholder === undefined ? undefined : /^(?:-[0oprtx]*i|--replace$)(.*)$/s.exec(text)?.[1]
    if (implied !== undefined) placeholder = implied === '' ? '{}' : implied
    if (step === 'flag') continue
    const value = step === 'value-next' ? words[++index]?.text : step.glued
    if (wrapper.placeholder !== undefined && /^(?:-[0oprtx]*I|--rep)/.test(text)) placeholder = value
  }
  while (wrapper.assigns === true && isAssignment(words[index])) {
    const text = words[index]?.text ?? ''
    started.push({ kind: 'assignment', name: text.slice(0, text.indexOf('=')) })
    index++
  }
  index += wrapper.skip ?? 0
  words = words.slice(index)
  if (placeholder !== undefined && placeholder !== '')
    words = words.map((word) => markInput(word, placeholder))
  return [...started, ...commandOf(wrapper, words, invocation)]
}

function commandOf(
  wrapper: Wrapper,
  words: readonly ShellWord[],
  invocation: Invocation,
): readonly Started[] {
  const { program } = invocation
  const appends = wrapper.appends === true || invocation.appends
  const login =
    /^sudo|^doas/.test(program) &&
    invocation.words.some(({ text }) => /^-[A-Za-z]*[is]$|^--(?:login|shell)$/.test(text))
  if (words.length === 0) {
    if (appends && wrapper.appends !== true) return [refuse(`the command of ${program} comes from elsewhere`)]
    return wrapper.bare === 'shell' || login
      ? [refuse(`${program} starts a shell that reads its commands`)]
      : []
  }
  if (program === 'flock' && /^(?:-c|--command)$/.test(words[0]?.text ?? '')) {
    return [{ kind: 'shell', text: words[1]?.text ?? '', via: 'flock -c' }]
  }
  if (wrapper.runs === 'shell' || login) {
    return [{ kind: 'shell', text: words.map(({ text }) => text).join(' '), via: program }]
  }
  return [{ kind: 'argv', words, via: program, appends }]
}

function readStep(text: string, options: WrapperOptions): Step {
  if (!isStatic(text)) return 'unknown'
  if (options.asks.has(text)) return 'asks'
  if (options.flags.has(text)) return 'flag'
  if (options.valued.has(text)) return 'value-next'
  return text.startsWith('--') ? readLong(text, options) : readCluster(text, options)
}

function readLong(text: string, options: WrapperOptions): Step {
  const equals = text.indexOf('=')
  const name = equals === -1 ? text : text.slice(0, equals)
  const matches = (known: ReadonlySet<string>) =>
    known.has(name)
      ? [name]
      : [...known].filter((option) => option.startsWith('--') && option.startsWith(name))
  const flags = matches(options.flags)
  const valued = matches(options.valued)
  if (matches(options.asks).length > 0 && flags.length + valued.length === 0) return 'asks'
  if (equals !== -1) return flags.length + valued.length > 0 ? { glued: text.slice(equals + 1) } : 'unknown'
  if (valued.length > 0 && flags.length === 0) return 'value-next'
  return flags.length > 0 && valued.length === 0 ? 'flag' : 'unknown'
}

function readCluster(text: string, options: WrapperOptions): Step {
  for (let at = 1; at < text.length; at++) {
    const option = `-${text.charAt(at)}`
    if (options.valued.has(option))
      return at + 1 === text.length ? 'value-next' : { glued: text.slice(at + 1) }
    if (options.gluing.has(option)) return 'flag'
    if (options.asks.has(option)) return 'asks'
    if (!options.flags.has(option)) return 'unknown'
  }
  return 'flag'
}

/** `env -S` splits its value much like a shell; a text with anything but plain words and quotes is not guessed at. */
function splitString(words: readonly ShellWord[], index: number, invocation: Invocation): readonly Started[] {
  const text = words[index]?.text ?? ''
  const glued = text.startsWith('--')
    ? /^--[a-z-]*=(.*)$/s.exec(text)?.[1]
    : /^-[iv0]*S(.+)$/s.exec(text)?.[1]
  const value = glued ?? words[index + 1]?.text
  if (value === undefined || !isStatic(value) || /[\\$#'"]/.test(value))
    return [refuse('env -S is given a text that is not plain')]
  const rest = words.slice(index + (glued === undefined ? 2 : 1))
  const split = value.split(/\s+/).filter((piece) => piece !== '')
  return [
    {
      kind: 'argv',
      words: [literalWord('env'), ...split.map(literalWord), ...rest],
      via: 'env -S',
      appends: invocation.appends,
    },
  ]
}

function isAssignment(word: ShellWord | undefined): boolean {
  return word !== undefined && /^[A-Za-z_]\w*=/.test(word.text)
}

function markInput(word: ShellWord, placeholder: string): ShellWord {
  if (!word.text.includes(placeholder)) return word
  return { text: word.text.replaceAll(placeholder, markExpansion(placeholder)), splits: false }
}

function refuse(reason: string): Started {
  return { kind: 'refused', reason }
}

function show(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text
}
