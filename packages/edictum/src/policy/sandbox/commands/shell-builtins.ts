// Builtins that run text, change what a name means, or evaluate their arguments.
import type { Invocation, Started } from './invocation.js'
import { isStatic } from './shell-word.js'

/** They take names; a name with a subscript is evaluated, and the subscript may hold a substitution. */
const NAME_TAKERS = new Set(
  'read unset let declare typeset local export readonly mapfile readarray getopts integer float vared'.split(
    ' ',
  ),
)
/** They take a name only as the value of this option. */
const NAME_OPTIONS: ReadonlyMap<string, RegExp> = new Map([
  ['printf', /^-v/],
  ['test', /^-[vR]$/],
  ['[', /^-[vR]$/],
  ['wait', /^-\w*p$/],
])

export function readBuiltin({ program, words, input, appends }: Invocation): readonly Started[] {
  const texts = words.map(({ text }) => text)
  switch (program) {
    case 'eval':
      return appends
        ? [refuse('eval is given text from elsewhere')]
        : [
            {
              kind: 'shell',
              text: texts.filter((text, at) => at > 0 || text !== '--').join(' '),
              via: 'eval',
            },
          ]
    case 'source':
    case '.':
      if (
        texts[0] === undefined ||
        !isStatic(texts[0]) ||
        /\/dev\/(?:stdin|fd)|\/proc\//.test(texts[0]) ||
        input !== undefined
      ) {
        return [refuse(`${program} runs a text that is only known at run time`)]
      }
      return []
    case 'trap':
      return readTrap(texts)
    case 'alias':
      return texts.some((text) => text.includes('=') || !isStatic(text))
        ? [refuse('an alias changes what a name runs')]
        : []
    case 'hash':
    case 'enable':
    case 'bind':
    case 'complete':
    case 'compgen':
    case 'fc':
    case 'autoload':
    case 'zmodload':
    case 'emulate':
    case 'sched':
    case 'zle':
    case 'functions':
      return texts.length > 0 ? [refuse(`${program} changes what is run`)] : []
    case 'cd':
    case 'pushd':
      return texts.some((text) => !text.startsWith('-')) ? [] : [{ kind: 'word', text: '~' }]
    case 'ssh':
    case 'slogin':
    case 'autossh':
      return readRemote(program, texts)
    case 'parallel':
      return readParallel(texts, appends)
    case 'su':
    case 'runuser':
    case 'sg':
      return texts.some((text) => /^-[a-z]*c|^--(?:com|ses|help|version)/.test(text))
        ? []
        : [refuse(`${program} starts a shell that reads its commands`)]
    default:
      if (NAME_TAKERS.has(program)) return readNames(program, texts)
      return readNames(program, valuesOf(NAME_OPTIONS.get(program), texts))
  }
}

function valuesOf(option: RegExp | undefined, texts: readonly string[]): readonly string[] {
  if (option === undefined) return []
  return texts.filter(
    (text, at) => option.test(texts[at - 1] ?? '') || (text.length > 2 && option.test(text)),
  )
}

function readNames(program: string, texts: readonly string[]): readonly Started[] {
  const started: Started[] = []
  for (const text of texts) {
    if (/\[[^\]]*(?:\$|`)/s.test(text)) started.push(refuse(`${program} evaluates a subscript`))
    const name = /^([A-Za-z_]\w*)\+?(?:=|$)/.exec(text)?.[1]
    if (name !== undefined) started.push({ kind: 'assignment', name })
  }
  const evaluates =
    program === 'let' ||
    texts.some(
      (text) => /^-\w*[inAv]/.test(text) && /^(?:declare|typeset|local|export|readonly)$/.test(program),
    )
  if (
    evaluates &&
    texts.some(
      (text) =>
        !/^[-+\w]*(?:=[\w"'. /:-]*)?$/.test(text) || (program === 'let' && /[A-Za-z_]\w*\s*$/.test(text)),
    )
  ) {
    started.push(refuse(`${program} evaluates its arguments`))
  }
  return started
}

function readTrap(texts: readonly string[]): readonly Started[] {
  const operands = texts[0] === '--' ? texts.slice(1) : texts
  const action = operands[0]
  if (action === undefined || action === '' || action === '-' || /^-[lp]/.test(action) || operands.length < 2)
    return []
  return [{ kind: 'shell', text: action, via: 'trap' }]
}

const REMOTE_VALUED = /^-[46AaCfGgKkMNnqsTtVvXxYy]*[BbcDEeFIiJLlmOoPpQRSWw]/

/** `ssh host command …`: the words after the host are joined and given to a shell there. */
function readRemote(program: string, texts: readonly string[]): readonly Started[] {
  let index = 0
  let host = false
  for (; index < texts.length; index++) {
    const text = texts[index] ?? ''
    if (text === '--') continue
    if (text.startsWith('-')) {
      const valued = REMOTE_VALUED.exec(text)
      if (valued !== null) {
        if (valued[0].length === text.length) index++
      } else if (!/^-[46AaCfGgKkMNnqsTtVvXxYy]+$/.test(text)) {
        return [refuse(`${program} has an option that is not known here`)]
      }
    } else if (host) break
    else host = true
  }
  const command = texts.slice(index)
  return command.length === 0 ? [] : [{ kind: 'shell', text: command.join(' '), via: program }]
}

function readParallel(texts: readonly string[], appends: boolean): readonly Started[] {
  const stop = texts.findIndex((text) => /^::::?\+?$/.test(text))
  const head = stop === -1 ? texts : texts.slice(0, stop)
  if (
    head.some((text) => text.startsWith('-')) ||
    head.length === 0 ||
    appends ||
    head.join('').includes('{')
  ) {
    return [refuse('parallel builds its commands at run time')]
  }
  return [{ kind: 'shell', text: head.join(' '), via: 'parallel' }]
}

function refuse(reason: string): Started {
  return { kind: 'refused', reason }
}
