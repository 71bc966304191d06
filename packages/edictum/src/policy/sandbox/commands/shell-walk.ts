// Walks the syntax tree of a command line and gathers its commands and words. Anything the walk does not know is refused.
import type {
  ArithmeticExpression,
  Assignment,
  Command,
  CommandNode,
  Redirection,
  Script,
  TestExpression,
  Word,
  WordPart,
} from 'unbash'
import { parse } from 'unbash'
import { expandBraces } from './brace-expansion.js'
import { changesWhatRuns } from './environment-names.js'
import type { SimpleCommand, Started } from './invocation.js'
import {
  EXPANSION_MARK,
  isStatic,
  literalWord,
  renderWord,
  type ShellWord,
  splitExpansions,
} from './shell-word.js'
import { isKnown, programOf, type ProgramTable, readStarted } from './started-commands.js'

type Node = Script['commands'][number]['command'] | CommandNode

const MOST_DEPTH = 8
/**
 * Bounds the time one line may take: a word costs a step, a command or a word made by braces a few. A long line may take
 * longer than a short one, but not by making more of it than is written there.
 */
const MOST_STEPS = 4_000
const CHARACTERS_PER_STEP = 8
const STEPS_OF_COMMAND = 8
const STEPS_OF_BRACED_WORD = 3
const MOST_BRACES = 512
const MOST_BRACKETS = 64
const MOST_BRACES_IN_WORD = 100
const MOST_BACKQUOTES = 200
const MOST_DOCUMENTS = 128

/** Values of a variable set in the line: known not to be options or code, numbers, or anything. */
type Assigned = 'number' | 'plain' | 'anything'

// A class, because the gathered lists and bounds belong to one walk and every step needs them.
export class ShellWalk {
  readonly commands: SimpleCommand[] = []
  readonly words: string[] = []
  refusal: string | undefined
  private depth = 0
  private steps = 0
  private mostSteps = MOST_STEPS
  private readonly assigned = new Map<string, Assigned>()
  private readonly deferred: (() => void)[] = []
  private readonly table: ProgramTable

  constructor(table: ProgramTable) {
    this.table = table
  }

  readText(text: string, via: string): void {
    if (this.depth === 0) this.mostSteps += text.length / CHARACTERS_PER_STEP
    if (exceedsBounds(text)) this.refuse('the line is nested too deeply')
    else if (this.enter()) {
      const script = parseScript(text)
      if (script === undefined) this.refuse('the line could not be read')
      else this.readScript(script, via)
      this.leave()
    }
  }

  readWords(words: readonly string[], via: string): void {
    const [name] = words
    if (name === undefined) return
    // An argument list is read as it is: nothing in it can grow.
    this.mostSteps += words.length
    for (const word of words) this.words.push(word)
    if (this.enter()) {
      this.addCommand(words.map(literalWord), { via, input: undefined, appends: false })
      this.leave()
    }
  }

  private enter(): boolean {
    if (this.depth >= MOST_DEPTH) {
      this.refuse('commands are nested too deeply')
      return false
    }
    this.depth++
    return true
  }

  private leave(): void {
    this.depth--
    // What depends on the assignments of the whole line is looked at when all of them are known.
    if (this.depth === 0)
      for (let check = this.deferred.shift(); check !== undefined; check = this.deferred.shift()) check()
  }

  private refuse(reason: string): void {
    this.refusal ??= reason
  }

  /** False when the line has had its share of time: then it is refused, and nothing more is looked at. */
  private spend(steps: number): boolean {
    this.steps += steps
    if (this.steps <= this.mostSteps) return true
    this.refuse('the line has too many words or commands to look at')
    return false
  }

  private readScript(
    script: Script & { readonly errors?: readonly unknown[] | undefined },
    via: string,
  ): void {
    if (script.errors !== undefined && script.errors.length > 0) this.refuse('the line is not valid shell')
    for (const statement of script.commands) this.readNode(statement.command, via)
  }

  private readNested(script: Script | undefined, via: string): void {
    if (script === undefined) this.refuse('a substitution could not be read')
    else if (this.enter()) {
      this.readScript(script, via)
      this.leave()
    }
  }

  private readList(list: { readonly commands: readonly { readonly command: Node }[] }, via: string): void {
    for (const statement of list.commands) this.readNode(statement.command, via)
  }

  private readNode(node: Node, via: string): void {
    if (!this.spend(1)) return
    switch (node.type) {
      case 'Command':
        this.readCommand(node, via)
        break
      case 'Pipeline':
        for (const prefix of node.prefixes) if (prefix.type === 'Time') this.list('time', [], via)
        for (const command of node.commands) this.readNode(command, via)
        break
      case 'AndOr':
        for (const command of node.commands) this.readNode(command, via)
        break
      case 'Redirected':
        this.readNode(node.command, via)
        for (const redirect of node.redirects) this.readRedirect(redirect, via)
        break
      case 'Subshell':
      case 'BraceGroup':
        this.readBlock(node.body, via)
        break
      case 'Function':
        this.readWord(node.name, via)
        if (node.body.type === 'CompoundList') this.readList(node.body, via)
        else this.readNode(node.body, via)
        break
      case 'Coproc':
        if (node.body.type === 'CompoundList') this.readList(node.body, via)
        else this.readNode(node.body, via)
        break
      case 'If':
        for (const part of [node.clause, node.then]) this.readList(part, via)
        for (const branch of node.elif)
          for (const part of [branch.clause, branch.then]) this.readList(part, via)
        if (node.else !== undefined) this.readList(node.else, via)
        break
      case 'While':
        for (const part of [node.clause, node.body]) this.readList(part, via)
        break
      case 'For':
      case 'Select':
        this.readLoop(node, via)
        break
      case 'Case':
        this.readWord(node.word, via)
        for (const item of node.items) {
          for (const pattern of item.pattern) this.readWord(pattern, via)
          this.readList(item.body, via)
        }
        break
      case 'TestCommand':
        this.list('[[', [], via)
        this.readTest(node.expression, via)
        break
      case 'ArithmeticCommand':
      case 'ArithmeticFor':
        // Shells without this construct start a command of that name in a subshell.
        this.refuse('(( … )) does not mean the same in every shell')
        break
      default:
        this.refuse('the line holds a construct that is not known here')
    }
  }

  private readBlock(body: { readonly commands: readonly { readonly command: Node }[] }, via: string): void {
    if (this.enter()) {
      this.readList(body, via)
      this.leave()
    }
  }

  private readLoop(node: Extract<Node, { type: 'For' | 'Select' }>, via: string): void {
    const values = node.wordlist?.flatMap((word) => this.readWord(word, via))
    this.assign(node.name.value, values === undefined ? [EXPANSION_MARK] : values.map(({ text }) => text))
    this.readBlock(node.body, via)
  }

  private readTest(expression: TestExpression, via: string): void {
    switch (expression.type) {
      case 'TestUnary': {
        const operand = this.readWord(expression.operand, via)
        if (/^-[vR]$/.test(expression.operator) && operand.some(({ text }) => /[[$]/.test(text)))
          this.refuse('[[ -v ]] evaluates a subscript')
        break
      }
      case 'TestBinary': {
        const sides = [...this.readWord(expression.left, via), ...this.readWord(expression.right, via)]
        if (/^-(?:eq|ne|lt|le|gt|ge)$/.test(expression.operator)) {
          for (const { text } of sides)
            if (!/^-?\d*$/.test(text)) this.refuse('[[ … ]] evaluates an operand as arithmetic')
        }
        break
      }
      case 'TestLogical':
        for (const [index, operand] of expression.operands.entries()) {
          this.readTest(operand, via)
          // Where [[ is no keyword, && and || end the command and the next word is one.
          if (index > 0 && !(operand.type === 'TestUnary' && operand.pos < operand.operand.pos)) {
            this.refuse('[[ … ]] does not mean the same in every shell')
          }
        }
        break
      case 'TestNot':
        this.readTest(expression.operand, via)
        break
      case 'TestGroup':
        this.refuse('[[ ( … ) ]] does not mean the same in every shell')
        break
      default:
        this.refuse('the line holds a test that is not known here')
    }
  }

  private readCommand(command: Command, via: string): void {
    let input: string | undefined
    for (const part of command.prefix) {
      if (part.type === 'Assignment') this.readAssignment(part, via)
      else input = joinInput(input, this.readRedirect(part, via))
    }
    const words: ShellWord[] = command.name === undefined ? [] : this.readWord(command.name, via)
    for (const part of command.suffix) {
      if (part.type === 'Word') words.push(...this.readWord(part, via))
      else if (part.type === 'Assignment') {
        words.push({ text: `${part.name}=${this.readAssignment(part, via)}`, splits: false })
      } else input = joinInput(input, this.readRedirect(part, via))
    }
    if (words.length > 0) this.addCommand(words, { via, input, appends: false })
    else if (command.name !== undefined) this.refuse('the line has a command without a name')
  }

  private addCommand(
    words: readonly ShellWord[],
    context: { readonly via: string; readonly input: string | undefined; readonly appends: boolean },
  ): void {
    const [first, ...args] = words
    if (first === undefined || !this.spend(STEPS_OF_COMMAND)) return
    const { via } = context
    if (!isStatic(first.text)) {
      this.refuse('the program is only known at run time')
      const seen = new Set(this.words)
      for (const { text } of args) if (!seen.has(text)) this.words.push(text)
      return
    }
    const name = first.text === '.' ? 'source' : first.text
    this.list(
      name,
      args.map(({ text }) => text),
      via,
    )
    const program = programOf(name, this.table)
    if (isKnown(program, this.table)) this.checkArguments(program, args)
    const invocation = { program, words: args, input: context.input, appends: context.appends }
    for (const started of readStarted(invocation, this.table)) this.start(started)
  }

  private list(name: string, args: readonly string[], via: string): void {
    this.commands.push(Object.freeze({ name, args: Object.freeze(args), via }))
  }

  private start(started: Started): void {
    switch (started.kind) {
      case 'refused':
        this.refuse(started.reason)
        break
      case 'word':
        this.words.push(started.text)
        break
      case 'assignment':
        if (changesWhatRuns(started.name)) this.refuse(`${started.name} changes what runs`)
        this.assigned.set(started.name, 'anything')
        break
      case 'unseen':
        this.list(started.name, [], started.via)
        break
      case 'shell':
        if (isStatic(started.text)) this.readText(started.text, started.via)
        else this.refuse(`the text that ${started.via} runs is only known at run time`)
        break
      case 'argv':
        if (this.enter()) {
          this.addCommand(started.words, {
            via: started.via,
            input: undefined,
            appends: started.appends === true,
          })
          this.leave()
        }
        break
    }
  }

  /** An argument from a run-time value may be an option; for a program that options can make start others this matters. */
  private checkArguments(program: string, args: readonly ShellWord[]): void {
    const end = args.findIndex(({ text }) => text === '--')
    args.forEach((word, index) => {
      if (isStatic(word.text)) return
      const before = args[index - 1]?.text ?? ''
      const isOperand = end !== -1 && end < index
      const isValue = !word.splits && ((before.startsWith('-') && !before.includes('=')) || isOperand)
      this.checkArgument(program, word, isValue ? 'value' : 'anything')
    })
  }

  private checkArgument(program: string, word: ShellWord, use: 'value' | 'anything'): void {
    const { text } = word
    const [head = '', expansion = ''] = text.split(EXPANSION_MARK)
    if (head.startsWith('-') && !head.includes('='))
      this.refuse(`an option of ${program} is only known at run time`)
    if (head !== '' && !word.splits) return
    const variable = /^\$\{?(\w+)/.exec(expansion)?.[1]
    if (variable !== undefined && !expansion.startsWith('$(')) {
      this.deferred.push(() => {
        if (this.assigned.get(variable) === 'anything')
          this.refuse(`an argument of ${program} is set in the same line`)
      })
    } else if (use === 'anything' && /^(?:\$\(|`|\$\{ )/.test(expansion) && !isTame(expansion)) {
      this.refuse(`an argument of ${program} is only known at run time`)
    }
  }

  /** @returns the assigned text */
  private readAssignment(assignment: Assignment, via: string): string {
    const { name, value } = assignment
    if (changesWhatRuns(name)) this.refuse(`${name} changes what runs`)
    if (assignment.index !== undefined) this.readIndex(assignment.index, via)
    const words =
      value.type === 'ArrayValue'
        ? value.elements.flatMap((word) => this.readWord(word, via))
        : this.readWord(value, via)
    const texts = words.map(({ text }) => text)
    this.assign(name, assignment.append === true ? [EXPANSION_MARK] : texts)
    return texts.join(' ')
  }

  private assign(name: string, values: readonly string[]): void {
    if (changesWhatRuns(name)) this.refuse(`${name} changes what runs`)
    const kind = values.every((value) => /^\d+$/.test(value))
      ? 'number'
      : values.every(isPlain)
        ? 'plain'
        : 'anything'
    const before = this.assigned.get(name)
    this.assigned.set(
      name,
      before === undefined || before === kind
        ? kind
        : before === 'anything' || kind === 'anything'
          ? 'anything'
          : 'plain',
    )
  }

  /** The text that the redirection feeds to the command, if the line shows it. */
  private readRedirect(redirect: Redirection, via: string): string | undefined {
    if (redirect.type === 'HereDoc') {
      for (const part of redirect.body.parts ?? []) this.readPart(part, via)
      if (!isInput(redirect)) return undefined
      const changes = redirect.delimiter?.quoted !== true && /[\\$`]/.test(redirect.body.text)
      return changes ? EXPANSION_MARK : redirect.body.text
    }
    const { target } = redirect
    if (target === undefined) {
      this.refuse('a redirection has no target')
      return undefined
    }
    const duplicates =
      redirect.type === 'Redirect' && redirect.operator.endsWith('&') && /^\d*-?$/.test(target.text)
    const words = duplicates ? [] : this.readWord(target, via)
    if (!isInput(redirect)) return undefined
    if (redirect.type === 'HereString') return `${words.map(({ text }) => text).join(' ')}\n`
    return redirect.operator.startsWith('<') ? EXPANSION_MARK : undefined
  }

  /** Adds the words a word stands for and reads the substitutions in it. */
  private readWord(word: Word, via: string): ShellWord[] {
    if (!this.spend(1)) return []
    if (word.text.includes('{') && /[,.]/.test(word.text)) return this.readBraces(word, via)
    return this.readPlain(word, via)
  }

  private readPlain(word: Word, via: string): ShellWord[] {
    const parts = word.parts
    if (parts === undefined) {
      this.words.push(word.value)
      return [{ text: word.value, splits: false }]
    }
    for (const part of parts) this.readPart(part, via)
    const rendered = renderWord(word)
    this.words.push(rendered.text)
    return [rendered]
  }

  private readBraces(word: Word, via: string): ShellWord[] {
    const texts = expandBraces(word.text, MOST_BRACES)
    if (texts === undefined) {
      this.refuse('a brace expansion could not be read')
      return [renderWord(word)]
    }
    if (!this.spend(texts.length * STEPS_OF_BRACED_WORD)) return []
    if (texts.length === 1) return this.readPlain(word, via)
    const words: ShellWord[] = []
    for (const text of texts) {
      if (text === '') continue
      const [statement] = parse(`: ${text}`).commands
      const command = statement?.command
      const [expanded, more] = command?.type === 'Command' ? command.suffix : []
      if (expanded?.type !== 'Word' || more !== undefined || expanded.text !== text) {
        this.refuse('a brace expansion could not be read')
        continue
      }
      for (const part of expanded.parts ?? []) this.readPart(part, via)
      const rendered = renderWord(expanded)
      this.words.push(rendered.text)
      words.push(rendered)
    }
    return words
  }

  private readPart(part: WordPart, via: string): void {
    if (!this.spend(1)) return
    switch (part.type) {
      case 'Literal':
      case 'SingleQuoted':
      case 'SimpleExpansion':
      case 'BraceExpansion':
        break
      case 'AnsiCQuoted':
        // Elsewhere the quote ends at the first apostrophe, and what follows would be read as code.
        if (part.text.includes("\\'"))
          this.refuse("$'…' with an apostrophe does not mean the same in every shell")
        if (part.value.includes('\u0000')) this.refuse('the command holds a control character')
        break
      case 'DoubleQuoted':
      case 'LocaleString':
        for (const child of part.parts) {
          if (child.type === 'ParameterExpansion' && child.text.includes("'")) {
            this.refuse('quotes inside ${…} do not mean the same in every shell')
          }
          this.readPart(child, via)
        }
        break
      case 'Glob':
        for (const child of part.parts ?? []) this.readPart(child, via)
        break
      case 'CommandExpansion':
      case 'ProcessSubstitution':
        this.readNested(part.script, via)
        break
      case 'ParameterExpansion':
        this.readParameter(part, via)
        break
      case 'ArithmeticExpansion':
        if (part.text.startsWith('$[')) this.refuse('$[…] does not mean the same in every shell')
        this.readArithmetic(part.expression, via)
        break
      default:
        // Extended patterns are off in a plain shell, and another shell runs code inside of them.
        this.refuse('an extended pattern does not mean the same in every shell')
    }
  }

  private readParameter(part: Extract<WordPart, { type: 'ParameterExpansion' }>, via: string): void {
    const { operation } = part
    if (part.prefix === '!') this.refuse('an indirect expansion is only known at run time')
    if (part.index !== undefined) this.readIndex(part.index, via)
    if (operation === undefined) return
    switch (operation.type) {
      case 'Default':
        this.readOperand(operation.operand, via)
        if (operation.operator.includes('=')) this.assign(part.parameter, [operation.operand.value])
        break
      case 'Remove':
        this.readOperand(operation.operand, via)
        break
      case 'Replace':
        this.readOperand(operation.pattern, via)
        this.readOperand(operation.replacement, via)
        break
      case 'Slice':
        this.readIndex(operation.offset, via)
        if (operation.length !== undefined) this.readIndex(operation.length, via)
        break
      case 'CaseModification':
        if (operation.operand !== undefined) this.readOperand(operation.operand, via)
        break
      default:
        this.refuse('an expansion is of a form that is not known here')
    }
  }

  private readOperand(word: Word, via: string): void {
    for (const part of word.parts ?? []) this.readPart(part, via)
    this.words.push(renderWord(word).text)
  }

  /** Subscripts and offsets are arithmetic: a variable in them is evaluated, code in it is run. */
  private readIndex(word: Word, via: string): void {
    for (const part of word.parts ?? []) this.readPart(part, via)
    if (!/^[\d@*+\-\s]*$/.test(word.text)) this.refuse('a subscript is evaluated at run time')
  }

  private readArithmetic(expression: ArithmeticExpression | undefined, via: string): void {
    if (expression === undefined) return
    switch (expression.type) {
      case 'ArithmeticBinary':
        this.readArithmetic(expression.left, via)
        this.readArithmetic(expression.right, via)
        break
      case 'ArithmeticUnary':
        this.readArithmetic(expression.operand, via)
        break
      case 'ArithmeticTernary':
        for (const part of [expression.test, expression.consequent, expression.alternate])
          this.readArithmetic(part, via)
        break
      case 'ArithmeticGroup':
        this.readArithmetic(expression.expression, via)
        break
      case 'ArithmeticCommandExpansion':
        this.readNested(expression.script, via)
        this.refuse('arithmetic evaluates the output of a command')
        break
      case 'ArithmeticWord': {
        for (const part of expression.parts ?? []) this.readPart(part, via)
        const name = /^\$?\{?([A-Za-z_]\w*)\}?$/.exec(expression.value)?.[1]
        if (name === undefined) {
          if (!/^(?:[\da-fA-FxX#]*|\$[#?$!])$/.test(expression.value))
            this.refuse('arithmetic evaluates a value that is only known at run time')
        } else {
          this.deferred.push(() => {
            if (this.assigned.get(name) !== 'number')
              this.refuse('arithmetic evaluates a variable whose value is not a number of this line')
          })
        }
        break
      }
      default:
        this.refuse('the line holds arithmetic that is not known here')
    }
  }
}

/** The parser descends with the text: a text that is deep enough exhausts the stack. */
function parseScript(text: string): Script | undefined {
  try {
    return parse(text)
  } catch {
    return undefined
  }
}

/**
 * Linear look at the raw text for what would take the parser more than linear time: deep brackets, and many braces,
 * backquotes or here-documents in one stretch. No honest line comes near.
 */
function exceedsBounds(text: string): boolean {
  let depth = 0
  let braces = 0
  let backquotes = 0
  let documents = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x28: // (
      case 0x5b: // [
        depth++
        break
      case 0x7b: // {
        depth++
        braces++
        break
      case 0x29: // )
      case 0x5d: // ]
      case 0x7d: // }
        if (depth > 0) depth--
        break
      case 0x60: // `
        backquotes++
        break
      case 0x3c: // <
        documents++
        break
      case 0x0a: // newline
        documents = 0
        backquotes = 0
        braces = 0
        break
      case 0x20: // blank
        braces = 0
        break
    }
    if (
      depth > MOST_BRACKETS ||
      braces > MOST_BRACES_IN_WORD ||
      backquotes > MOST_BACKQUOTES ||
      documents > MOST_DOCUMENTS
    ) {
      return true
    }
  }
  return false
}

function isInput({ descriptor }: Redirection): boolean {
  return descriptor === undefined || (descriptor.type === 'FileDescriptor' && descriptor.value === 0)
}

/** Of several inputs the last one counts, but which one that is need not be decided here. */
function joinInput(before: string | undefined, next: string | undefined): string | undefined {
  if (before === undefined || next === undefined) return before ?? next
  return EXPANSION_MARK
}

/** Neither an option nor several words. A pattern counts as the names it finds, just as it does in the arguments. */
function isPlain(value: string): boolean {
  const pieces = splitExpansions(value)
  const text = pieces
    .map((piece, index) => (index % 2 === 0 || /^(?:[*?]|\[[^\]$`]*\])$/.test(piece) ? piece : '$'))
    .join('')
  return /^[\w./@:+%,~^*?[][\w./@:+%,~^*?[\]!=-]*$/.test(text)
}

/** Substitutions whose output cannot be chosen by the line. */
function isTame(expansion: string): boolean {
  return /^(?:\$\(|`)\s*(?:pwd|nproc|whoami|hostname|git (?:merge-base|rev-list|describe|symbolic-ref|rev-parse)(?: (?:--(?:show-toplevel|abbrev-ref|short|verify|git-dir|tags|all|count|always|max-count=\d+)|-n ?\d+|[\w./@^~:][\w./@^~:-]*))*)\s*[)`]$/.test(
    expansion,
  )
}
