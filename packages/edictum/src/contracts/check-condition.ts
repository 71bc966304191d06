// Checks a `when` tree: shapes, operators, operands, patterns, and selectors that exist at that stage.
import { closestWord } from '../internal/closest-word.js'
import type { Condition } from './bundle.js'
import { detectableNames } from './detectors.js'
import { quoted, type Trail } from './diagnostic.js'
import { describe, type Findings, isMapping, type Mapping } from './findings.js'
import { isOperatorName, operandShapes, type OperandShape, operatorNames } from './operators.js'
import { compilePattern } from './pattern/pattern.js'
import { isUnknownForm, needsToolResult, normalForms } from './selectors.js'

const maxConditionDepth = 50

export interface ConditionRules {
  /** For messages: the contract the condition belongs to. */
  readonly of: string
  readonly stage: 'before' | 'after'
  readonly customOperators: ReadonlySet<string>
}

const combinators = new Set(['all', 'any', 'not'])

export class ConditionChecker {
  readonly #findings: Findings
  readonly #rules: ConditionRules

  constructor(findings: Findings, rules: ConditionRules) {
    this.#findings = findings
    this.#rules = rules
  }

  /** The checked condition, or undefined when something below was reported. */
  check(value: unknown, trail: Trail, depth = 1): Condition | undefined {
    if (depth > maxConditionDepth) {
      this.#findings.add(
        'expression-too-deep',
        trail,
        `condition of ${this.#rules.of} is nested more than ${maxConditionDepth} levels deep`,
      )
      return undefined
    }
    if (!isMapping(value)) {
      this.#findings.add('invalid-expression', trail, {
        message: `a condition must be \`all\`, \`any\`, \`not\` or one selector, not ${describe(value)}`,
        hint: 'for example: args.path: { contains: ".env" }',
      })
      return undefined
    }
    const keys = Object.keys(value)
    const [key] = keys
    if (key === undefined) {
      this.#findings.add('invalid-expression', trail, {
        message: 'a condition is empty',
        expected: 'all, any, not or one selector',
      })
      return undefined
    }
    if (keys.length > 1) {
      this.#findings.add('invalid-expression', trail, {
        message: `a condition has exactly one key; this one has ${keys.length}: ${keys.slice(0, 6).map(quoted).join(', ')}`,
        hint: 'put them under `all:` (every one must hold) or `any:` (one is enough), each as a list entry',
      })
      return undefined
    }
    const inside = { parent: trail, step: key }
    if (key === 'all' || key === 'any') return this.#group(key, value[key], { trail: inside, depth })
    if (key === 'not') {
      const condition = this.check(value[key], inside, depth + 1)
      return condition === undefined ? undefined : { kind: 'not', condition }
    }
    return this.#leaf(key, value[key], inside)
  }

  #group(kind: 'all' | 'any', value: unknown, at: { trail: Trail; depth: number }): Condition | undefined {
    if (!Array.isArray(value)) {
      this.#findings.add(
        'invalid-expression',
        at.trail,
        `\`${kind}\` must be a list of conditions, not ${describe(value)}`,
      )
      return undefined
    }
    if (value.length === 0) {
      this.#findings.add('empty-list', at.trail, {
        message: `\`${kind}\` is an empty list; it needs at least one condition`,
        at: 'key',
      })
      return undefined
    }
    const conditions: Condition[] = []
    for (let index = 0; index < value.length; index++) {
      const condition = this.check(value[index], { parent: at.trail, step: index }, at.depth + 1)
      if (condition !== undefined) conditions.push(condition)
    }
    return conditions.length === value.length ? { kind, conditions } : undefined
  }

  #leaf(selector: string, value: unknown, trail: Trail): Condition | undefined {
    if (this.#rules.stage === 'before' && needsToolResult(selector)) {
      this.#findings.add('selector-not-available', trail, {
        message: `${this.#rules.of} runs before the tool, so \`${selector}\` does not exist yet`,
        at: 'key',
        hint: 'use `type: post` to look at what a tool returned',
      })
    }
    if (isUnknownForm(selector)) {
      const meant = closestWord(selector, normalForms)
      this.#findings.add('invalid-expression', trail, {
        message: `there is no selector ${quoted(selector)}`,
        at: 'key',
        expected: `one of ${normalForms.join(', ')}`,
        ...(meant === undefined ? {} : { hint: `did you mean \`${meant}\`?` }),
      })
    }
    if (!isMapping(value)) {
      this.#findings.add('invalid-expression', trail, {
        message: `selector ${quoted(selector)} needs an operator, not ${describe(value)}`,
        hint: `for example: ${selector}: { equals: ${JSON.stringify(value) ?? '…'} }`.slice(0, 160),
      })
      return undefined
    }
    const names = Object.keys(value)
    const [operator] = names
    if (operator === undefined || names.length > 1) {
      this.#findings.add('invalid-expression', trail, {
        message: `selector ${quoted(selector)} needs exactly one operator, not ${names.length}`,
        hint: 'combine several operators with `all:`, each as its own list entry',
      })
      return undefined
    }
    const operand = value[operator]
    const inside = { parent: trail, step: operator }
    if (isOperatorName(operator)) {
      if (operandShapes[operator] === 'folders' && selector !== 'paths') {
        this.#findings.add('invalid-expression', inside, {
          message: `\`${operator}\` says where the paths of a call lead; it stands under \`paths\`, not under ${quoted(selector)}`,
          at: 'key',
          hint: `paths: { ${operator}: [/workspace] } looks at every path of the call`,
        })
      }
      return this.#operand(operandShapes[operator], { operator, operand }, inside)
        ? { kind: 'leaf', selector, operator, operand }
        : undefined
    }
    if (this.#rules.customOperators.has(operator)) return { kind: 'leaf', selector, operator, operand }
    this.#unknownOperator(operator, { selector, value }, inside)
    return undefined
  }

  #unknownOperator(operator: string, leaf: { selector: string; value: Mapping }, trail: Trail): void {
    const known = [...operatorNames, ...this.#rules.customOperators]
    const meant = closestWord(operator, known)
    const nested = combinators.has(operator)
      ? `\`${operator}\` goes around selectors, not under one`
      : meant === undefined
        ? `a nested value is selected with dots, as in ${leaf.selector}.${operator}`
        : `did you mean \`${meant}\`?`
    this.#findings.add('unknown-operator', trail, {
      message: `unknown operator ${quoted(operator)} in ${this.#rules.of}`,
      at: 'key',
      expected: `one of ${known.join(', ')}`,
      hint: nested,
    })
  }

  #operand(shape: OperandShape, leaf: { operator: string; operand: unknown }, trail: Trail): boolean {
    const { operator, operand } = leaf
    switch (shape) {
      case 'anything':
        return true
      case 'boolean':
        return this.#findings.boolean(operand, trail, operator) !== undefined
      case 'number':
        return this.#number(operator, operand, trail)
      case 'list':
        return this.#findings.list(operand, trail, { field: operator }) !== undefined
      case 'text':
        return this.#textOperand(operator, operand, trail)
      case 'texts':
        return this.#everyItem(leaf, trail, (item, at) => this.#textOperand(operator, item, at))
      case 'folders':
        return this.#everyItem(
          leaf,
          trail,
          (item, at) => this.#findings.text(item, at, { field: operator }) !== undefined,
        )
      case 'pattern':
        return this.#pattern(operator, operand, trail)
      case 'patterns':
        return this.#everyItem(leaf, trail, (item, at) => this.#pattern(operator, item, at))
      case 'detectors':
        return this.#everyItem(leaf, trail, (item, at) => this.#detector(operator, item, at))
      default:
        return shape satisfies never
    }
  }

  /** Reports all items at fault, not only the first. */
  #everyItem(
    { operator, operand }: { operator: string; operand: unknown },
    trail: Trail,
    check: (item: unknown, at: Trail) => boolean,
  ): boolean {
    const items = this.#findings.list(operand, trail, { field: operator })
    if (items === undefined) return false
    return items.map((item, index) => check(item, { parent: trail, step: index })).every(Boolean)
  }

  #detector(operator: string, operand: unknown, trail: Trail): boolean {
    const name = this.#findings.text(operand, trail, { field: operator })
    if (name === undefined) return false
    if (detectableNames.includes(name)) return true
    const meant = closestWord(name, detectableNames)
    this.#findings.add('unknown-detector', trail, {
      message: `unknown detector ${quoted(name)} in ${this.#rules.of}`,
      expected: `one of ${detectableNames.join(', ')}`,
      hint:
        meant === undefined
          ? 'for another format, write a pattern with `matches`'
          : `did you mean \`${meant}\`?`,
    })
    return false
  }

  #number(operator: string, operand: unknown, trail: Trail): boolean {
    if (typeof operand === 'number' && Number.isFinite(operand)) return true
    this.#findings.add(typeof operand === 'number' ? 'invalid-value' : 'wrong-type', trail, {
      message: `\`${operator}\` compares with a number, not ${describe(operand)}`,
      expected: 'a finite number',
    })
    return false
  }

  /** An empty text is legal here: it is contained in every text. */
  #textOperand(operator: string, operand: unknown, trail: Trail): boolean {
    if (typeof operand === 'string') return true
    this.#findings.add('wrong-type', trail, {
      message: `\`${operator}\` takes text, not ${describe(operand)}`,
      expected: 'text',
      ...(typeof operand === 'number' || typeof operand === 'boolean'
        ? { hint: `put it in quotes: "${String(operand)}"` }
        : {}),
    })
    return false
  }

  #pattern(operator: string, operand: unknown, trail: Trail): boolean {
    const source = this.#findings.text(operand, trail, { field: operator })
    if (source === undefined) return false
    const result = compilePattern(source)
    if (result.ok) return true
    const { kind, message, hint, offset } = result.problem
    this.#findings.add(kind === 'syntax' ? 'invalid-pattern' : 'unsupported-pattern', trail, {
      message: `pattern ${quoted(source)} of ${this.#rules.of}: ${message}`,
      hint,
      offsetInValue: offset,
    })
    return false
  }
}
