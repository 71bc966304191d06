// Shell-style patterns on whole names: `*`, `?`, `[abc]`, `[a-z]`, `[!abc]`; everything else is literal.
// Used for tool names and host names, so it must stay cheap on hostile input: one retry point, no recursion.

/** Whether a name matches a pattern. */
export type GlobMatcher = (name: string) => boolean

type GlobPart =
  { readonly kind: 'star' } | { readonly kind: 'one'; readonly accepts: (character: string) => boolean }

const maxLength = 10_000

export function isGlob(pattern: string): boolean {
  return /[*?[]/.test(pattern)
}

/** What `tool` of a contract means: a matcher for whole names. */
export function compileGlob(pattern: string): GlobMatcher {
  if (pattern === '*') return () => true
  if (!isGlob(pattern)) return (name) => name === pattern
  const parts = parseGlob([...pattern.slice(0, maxLength)])
  return (name) => name.length <= maxLength && matchParts(parts, [...name])
}

function parseGlob(pattern: readonly string[]): readonly GlobPart[] {
  const parts: GlobPart[] = []
  for (let index = 0; index < pattern.length; index++) {
    const character = pattern[index] ?? ''
    if (character === '*') {
      if (parts.at(-1)?.kind !== 'star') parts.push({ kind: 'star' })
    } else if (character === '?') {
      parts.push({ kind: 'one', accepts: () => true })
    } else {
      const end = character === '[' ? classEnd(pattern, index) : -1
      if (end === -1) {
        parts.push({ kind: 'one', accepts: (other) => other === character })
      } else {
        parts.push({ kind: 'one', accepts: parseClass(pattern.slice(index + 1, end)) })
        index = end
      }
    }
  }
  return parts
}

/** A `]` directly after `[` or `[!` is a member, not the end; without an end the `[` is a literal. */
function classEnd(pattern: readonly string[], start: number): number {
  const first = pattern[start + 1] === '!' ? start + 2 : start + 1
  return pattern.indexOf(']', first + 1)
}

function parseClass(members: readonly string[]): (character: string) => boolean {
  const negated = members[0] === '!'
  const body = negated ? members.slice(1) : members
  const ranges: (readonly [number, number])[] = []
  for (let index = 0; index < body.length; index++) {
    const from = body[index]?.codePointAt(0) ?? 0
    const upper = body[index + 2]
    if (body[index + 1] === '-' && upper !== undefined) {
      ranges.push([from, upper.codePointAt(0) ?? 0])
      index += 2
    } else {
      ranges.push([from, from])
    }
  }
  return (character) => {
    const code = character.codePointAt(0) ?? 0
    return ranges.some(([from, to]) => from <= code && code <= to) !== negated
  }
}

/** Greedy with a single retry point: on a mismatch the latest star takes one more character. */
function matchParts(parts: readonly GlobPart[], name: readonly string[]): boolean {
  let at = 0
  let part = 0
  let starPart = -1
  let starAt = 0
  while (at < name.length) {
    const next = parts[part]
    if (next?.kind === 'star') {
      starPart = part++
      starAt = at
    } else if (next?.kind === 'one' && next.accepts(name[at] ?? '')) {
      part++
      at++
    } else if (starPart !== -1) {
      part = starPart + 1
      at = ++starAt
    } else {
      return false
    }
  }
  while (parts[part]?.kind === 'star') part++
  return part === parts.length
}
