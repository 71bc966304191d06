// Words of well-known programs that are text to them and never a path: messages, search patterns, scripts.
// A rule may only skip what the program surely reads as text, so the first option it does not know ends the skipping.
import type { SimpleCommand } from './commands/command-line.js'
import { isStatic, markExpansion } from './commands/shell-word.js'

interface TextRule {
  /** How many operands at the start are text. */
  readonly operands: number
  /** Options whose value is text. */
  readonly textOptions: ReadonlySet<string>
  /** Options that take another value. */
  readonly valueOptions: ReadonlySet<string>
  /** Options without a value; undefined when operands are never text, so that it does not matter. */
  readonly flags: RegExp | undefined
  /** Options that give the text another way: then no operand is text. */
  readonly instead: RegExp | undefined
}

interface TextRuleWords {
  readonly operands?: number
  readonly textOptions?: string
  readonly valueOptions?: string
  readonly flags?: RegExp
  readonly instead?: RegExp
}

const grepFlags =
  /^(?:-[EFGPivwxcLlqsonhHbTUzrRIay0-9]+|--(?:colou?r|recursive|ignore-case|line-number|count|invert-match|word-regexp|fixed-strings|extended-regexp|perl-regexp|only-matching|quiet|files-with-matches|no-messages)|--[a-z-]+=.*)$/s

const rules = new Map<string, TextRule>([
  ...rulesFor('grep egrep fgrep', {
    operands: 1,
    textOptions: '-e --regexp',
    valueOptions: '-A -B -C -m -d -D --include --exclude --exclude-dir --max-count',
    flags: grepFlags,
    instead: /^(?:-[^-]*[ef]|--regexp|--file)/,
  }),
  ...rulesFor('rg', {
    operands: 1,
    textOptions: '-e --regexp',
    valueOptions: '-A -B -C -m -g -t -T',
    flags:
      /^(?:-[iSvwxclnNHqsoFPpzuUa0]+|--(?:hidden|no-ignore|files-with-matches|ignore-case)|--[a-z-]+=.*)$/s,
    instead: /^(?:-[^-]*[ef]|--regexp|--file)/,
  }),
  ...rulesFor('sed', {
    operands: 1,
    textOptions: '-e --expression',
    flags: /^(?:-[nErsuz]+|-i|--(?:quiet|silent|regexp-extended|in-place|debug|posix))$/,
    instead: /^(?:-[^-]*[ef]|--expression|--file)/,
  }),
  ...rulesFor('awk gawk mawk nawk', {
    operands: 1,
    valueOptions: '-F -v',
    flags: /^-F.+$/s,
    instead: /^-[^-]*f|^--/,
  }),
  ...rulesFor('jq', { operands: 1, flags: /^-[rcnsSaejCM]+$/, instead: /^(?:-[^-]*f|--)/ }),
  ...rulesFor('find', {
    textOptions: '-name -iname -path -ipath -wholename -regex -iregex -lname -ilname -printf',
  }),
  ...rulesFor('curl', { textOptions: '-H --header -X --request -A --user-agent -u --user -w --write-out' }),
])

const gitMessageRule = ruleOf({ textOptions: '-m --message' })
const gitSearchRule = ruleOf({ textOptions: '--grep --author --committer --since --until --format --pretty' })
const gitMessageCommands: ReadonlySet<string | undefined> = new Set([
  'commit',
  'tag',
  'merge',
  'stash',
  'notes',
])

/** Programs that take no names of files from what another one writes. */
const readers: ReadonlySet<string> = new Set(
  'echo printf cat grep egrep fgrep head tail wc sort uniq tr cut tee jq true ls npm git'.split(' '),
)

/** The words of the commands of a line that may hold a path, with the paths their scripts name. */
export function pathWordsOf(commands: readonly SimpleCommand[]): readonly string[] {
  const isOnlyShown = commands.every(({ name }) => readers.has(name))
  const words: string[] = []
  for (const command of commands) {
    if (isOnlyShown && (command.name === 'echo' || command.name === 'printf')) continue
    const rule = ruleFor(command)
    if (rule !== undefined) addWords(words, command, rule)
    else for (const word of command.args) words.push(word)
  }
  return words
}

function ruleFor({ name, args }: SimpleCommand): TextRule | undefined {
  if (name !== 'git') return rules.get(name)
  if (gitMessageCommands.has(args[0])) return gitMessageRule
  return args[0] === 'log' ? gitSearchRule : undefined
}

function addWords(words: string[], { name, args }: SimpleCommand, rule: TextRule): void {
  const { instead } = rule
  let left = instead !== undefined && args.some((word) => instead.test(word)) ? 0 : rule.operands
  let onlyOperands = false
  for (let index = 0; index < args.length; index++) {
    const word = args[index] ?? ''
    if (onlyOperands || word.length < 2 || !word.startsWith('-')) {
      if (left > 0) words.push(...pathsInText(name, word))
      else words.push(word)
      left--
    } else if (word === '--') {
      onlyOperands = true
    } else if (rule.textOptions.has(word)) {
      words.push(...pathsInText(name, args[++index] ?? ''))
    } else if (isTextOption(word, rule)) {
      words.push(...pathsInText(name, word.slice(word.indexOf('=') + 1)))
    } else {
      words.push(word)
      if (rule.valueOptions.has(word)) words.push(args[++index] ?? '')
      else if (rule.flags?.test(word) !== true) left = 0
    }
  }
}

/** `--message=text` */
function isTextOption(word: string, { textOptions }: TextRule): boolean {
  const sign = word.indexOf('=')
  return word.startsWith('--') && sign !== -1 && textOptions.has(word.slice(0, sign))
}

const none: readonly string[] = []
const longestScript = 2_048
const scriptPrograms = /^sed$|awk$/

/** Scripts open files themselves, and some values name a file after an `@`. */
function pathsInText(program: string, text: string): readonly string[] {
  // What it expands to may be an option, or several words.
  if (!isStatic(text)) return [text]
  if (text.length > longestScript && scriptPrograms.test(program)) return [markExpansion(program)]
  // Where a file name starts is not known for sure, so every place it could start at is looked at.
  if (program === 'sed') return partsOf(text, /(?<=^|[\s;{}\d$,!/|#gpiI])[rRwW]\s*(?=([^\s;}][^;}\n]*))/g)
  if (program.endsWith('awk')) return partsOf(text, /"((?:[^"\\]|\\.)*)"/g)
  return program === 'curl' && text.startsWith('@') ? [text] : none
}

function partsOf(text: string, pattern: RegExp): readonly string[] {
  return Array.from(text.matchAll(pattern), (match) => match[1] ?? '')
}

function ruleOf(words: TextRuleWords): TextRule {
  return {
    operands: words.operands ?? 0,
    textOptions: new Set(words.textOptions?.split(' ')),
    valueOptions: new Set(words.valueOptions?.split(' ')),
    flags: words.flags,
    instead: words.instead,
  }
}

function rulesFor(programs: string, words: TextRuleWords): (readonly [string, TextRule])[] {
  const rule = ruleOf(words)
  return programs.split(' ').map((program) => [program, rule] as const)
}
