/** Whether a key bound to a pattern belongs to this agent; `*` stands for any characters. */
export function matchesAgent(pattern: string | null, agentId: string): boolean {
  if (pattern === null) return true
  const parts = pattern.split('*')
  const [start = '', ...others] = parts
  if (others.length === 0) return agentId === pattern
  if (!agentId.startsWith(start)) return false
  const end = others.pop() ?? ''
  let at = start.length
  for (const part of others) {
    const found = agentId.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return agentId.length - end.length >= at && agentId.endsWith(end)
}
