// `sh`, `bash` and their relatives: where the text they run comes from.
import type { Invocation, Started } from './invocation.js'
import { isStatic } from './shell-word.js'

export const SHELLS: readonly string[] = [
  'sh',
  'bash',
  'dash',
  'zsh',
  'ksh',
  'mksh',
  'pdksh',
  'ksh93',
  'ash',
  'yash',
  'posh',
  'rbash',
  'rzsh',
  'hush',
  'lksh',
  'oksh',
  'fish',
  'csh',
  'tcsh',
  'rc',
  'es',
  'elvish',
  'xonsh',
  'nu',
  'osh',
  'ysh',
]

const OTHER_GRAMMAR = /^(?:fish|t?csh|rc|es|elvish|xonsh|nu|osh|ysh)$/
const STANDARD_INPUT = /^(?:-|\/dev\/stdin|\/dev\/fd\/0|\/proc\/(?:self|\d+)\/fd\/0)$/
const LONG_FLAGS =
  /^--(?:posix|norc|noprofile|login|noediting|restricted|verbose|debugger|dump-strings|dump-po-strings|pretty-print|rcs|no-rcs|private|no-config)$/

export function readShell(invocation: Invocation): readonly Started[] {
  const { program, words, input } = invocation
  let text = false
  let reads = false
  let index = 0
  for (; index < words.length; index++) {
    const option = words[index]?.text ?? ''
    if (option === '--' || option === '-') {
      index++
      break
    }
    if (!/^[-+]/.test(option)) break
    if (!isStatic(option)) return [refuse(`an option of ${program} is only known at run time`)]
    if (/^--(?:version|help)$/.test(option)) return []
    if (/^--(?:rcfile|init-file|init-command)/.test(option) || option === '-C') {
      return [{ kind: 'unseen', name: `${program} ${option.replace(/=.*/s, '')}`, via: program }]
    }
    if (option === '--command') text = true
    else if (option.startsWith('--')) {
      if (!LONG_FLAGS.test(option)) return [refuse(`${program} has an option that is not known here`)]
    } else if (/^[-+][A-Za-z]+$/.test(option)) {
      text ||= option.startsWith('-') && option.includes('c')
      reads ||= option.includes('s')
      if (/[oO]./.test(option)) return [refuse(`${program} has an option that is not known here`)]
      if (/[oO]$/.test(option)) index++
    } else return [refuse(`${program} has an option that is not known here`)]
  }
  const operand = words[index]?.text
  if (text) return readText(invocation, operand)
  if (operand !== undefined && !reads && !STANDARD_INPUT.test(operand)) {
    return isStatic(operand) ? [] : [refuse(`${program} runs a script that is only known at run time`)]
  }
  if (input === undefined) return [refuse(`${program} runs commands that it reads`)]
  return OTHER_GRAMMAR.test(program)
    ? [refuse(`${program} has a grammar of its own`)]
    : [{ kind: 'shell', text: input, via: program }]
}

function readText({ program, appends }: Invocation, operand: string | undefined): readonly Started[] {
  if (operand === undefined) return [refuse(`${program} -c has no text${appends ? ' of its own' : ''}`)]
  if (OTHER_GRAMMAR.test(program)) return [{ kind: 'unseen', name: `${program} -c`, via: `${program} -c` }]
  return [{ kind: 'shell', text: operand, via: `${program} -c` }]
}

function refuse(reason: string): Started {
  return { kind: 'refused', reason }
}
