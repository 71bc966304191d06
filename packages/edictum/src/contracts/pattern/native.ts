import type { SetLoop } from './analyse.js'
import type { Matcher } from './matcher.js'
import { printNative } from './print.js'
import { type PatternNode, findLook, widthOf } from './syntax-tree.js'

export interface NativeOptions {
  /** The loop that the proof wants entered at the start of a run only. */
  readonly headLoop: SetLoop | undefined
  /** What to use on texts of many megabytes, where the engine can run out of stack. */
  readonly fallback: () => Matcher | undefined
}

/** Runs a pattern on the platform's own engine. The caller has a proof that this is linear. */
export function createNativeMatcher(tree: PatternNode, { headLoop, fallback }: NativeOptions): Matcher {
  // To know whether there is a match, the shortest way through the loop at the head is enough.
  const shortest = printNative(tree, headLoop)
  // Between the halves of a surrogate pair every negative look-around holds; a match that consumes nothing could
  // start there and nowhere else.
  const mayStartInsidePair = widthOf(tree).min === 0 && findLook(tree) !== undefined
  const search = new RegExp(mayStartInsidePair ? `(?=$|[^])(?:${shortest})` : shortest, 'u')
  let replace: Matcher['replaceAll'] | undefined
  const rescue = (error: unknown): Matcher => {
    const other = fallback()
    if (!other) throw error
    return other
  }
  return {
    test: (text) => {
      try {
        return search.test(text)
      } catch (error) {
        return rescue(error).test(text)
      }
    },
    replaceAll: (text, replacement) => {
      replace ??= headLoop ? replaceFromRunStarts(tree, headLoop) : replaceAnywhere(tree)
      try {
        return replace(text, replacement)
      } catch (error) {
        return rescue(error).replaceAll(text, replacement)
      }
    },
  }
}

function replaceAnywhere(tree: PatternNode): Matcher['replaceAll'] {
  const everywhere = new RegExp(printNative(tree), 'gu')
  return (text, replacement) => text.replace(everywhere, (match) => (match === '' ? '' : replacement))
}

/**
 * After a match the text may go on in the middle of a run, so that place is tried on its own. If it fails, so would
 * every later start in the same run.
 */
function replaceFromRunStarts(tree: PatternNode, headLoop: SetLoop): Matcher['replaceAll'] {
  const pattern = printNative(tree)
  const atRunStart = new RegExp(`(?<!${printNative(headLoop.body)})(?:${pattern})`, 'gu')
  const here = new RegExp(pattern, 'yu')
  return (text, replacement) => {
    let result = ''
    let copied = 0
    let at = 0
    for (;;) {
      here.lastIndex = at
      let match = here.exec(text)
      if (!match) {
        atRunStart.lastIndex = at
        match = atRunStart.exec(text)
      }
      if (!match) return copied === 0 ? text : result + text.slice(copied)
      const [found] = match
      at = match.index + found.length
      if (found === '') at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
      else {
        result += text.slice(copied, match.index) + replacement
        copied = at
      }
      if (at > text.length) return copied === 0 ? text : result + text.slice(copied)
    }
  }
}
