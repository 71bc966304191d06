// A pattern that is just a text, however long: found by Knuth-Morris-Pratt, which looks at each character of the text it
// searches once or twice. The platform's own substring search can take length times length on repetitive texts.
import { onlyCodePoint } from './char-set.js'
import type { Matcher } from './matcher.js'
import type { PatternNode } from './syntax-tree.js'

/** Undefined when the pattern is anything but one fixed text. */
export function createPlainTextMatcher(tree: PatternNode): Matcher | undefined {
  const text = plainTextOf(tree)
  if (text === undefined || text === '') return undefined
  const steps = borderLengths(text)
  return {
    test: (within) => indexOf(within, text, { steps, from: 0 }) !== -1,
    replaceAll: (within, replacement) => {
      let result = ''
      let copied = 0
      for (;;) {
        const found = indexOf(within, text, { steps, from: copied })
        if (found === -1) return copied === 0 ? within : result + within.slice(copied)
        result += within.slice(copied, found) + replacement
        copied = found + text.length
      }
    },
  }
}

function plainTextOf(tree: PatternNode): string | undefined {
  const items = tree.kind === 'sequence' ? tree.items : [tree]
  let text = ''
  for (const item of items) {
    const character = item.kind === 'set' ? onlyCodePoint(item.set) : undefined
    // Half a character could be found inside a whole one, where the other engines do not see it.
    if (character === undefined || (character >= 0xd800 && character <= 0xdfff)) return undefined
    text += String.fromCodePoint(character)
  }
  return text
}

/** For each length of the text's beginning: the longest shorter beginning that it also ends with. */
function borderLengths(text: string): Int32Array {
  const borders = new Int32Array(text.length + 1)
  let length = 0
  for (let index = 1; index < text.length; index++) {
    while (length > 0 && text.charCodeAt(index) !== text.charCodeAt(length)) length = borders[length] ?? 0
    if (text.charCodeAt(index) === text.charCodeAt(length)) length++
    borders[index + 1] = length
  }
  return borders
}

function indexOf(
  within: string,
  text: string,
  { steps, from }: { readonly steps: Int32Array; readonly from: number },
): number {
  let length = 0
  for (let index = from; index < within.length; index++) {
    const character = within.charCodeAt(index)
    while (length > 0 && text.charCodeAt(length) !== character) length = steps[length] ?? 0
    if (text.charCodeAt(length) === character) length++
    if (length === text.length) return index - length + 1
  }
  return -1
}
