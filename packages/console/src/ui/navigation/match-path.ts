/** The parts of a path that a pattern like `/approvals/{id}` names; undefined when it is another path. */
export function matchPath(pattern: string, path: string): Readonly<Record<string, string>> | undefined {
  const wanted = pattern.split('/')
  const given = path.replace(/(?<=.)\/$/, '').split('/')
  if (wanted.length !== given.length) return undefined
  const found: Record<string, string> = {}
  for (const [position, part] of wanted.entries()) {
    const value = given[position] ?? ''
    if (!part.startsWith('{')) {
      if (part !== value) return undefined
      continue
    }
    try {
      found[part.slice(1, -1)] = decodeURIComponent(value)
    } catch {
      return undefined
    }
  }
  return found
}
