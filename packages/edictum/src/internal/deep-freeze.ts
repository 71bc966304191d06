/** Freezes plain data in place, all the way down, and returns it. Iterates, so depth cannot exhaust the stack. */
export function deepFreeze<T>(value: T): T {
  const pending: unknown[] = [value]
  while (pending.length > 0) {
    const next = pending.pop()
    if (typeof next !== 'object' || next === null || Object.isFrozen(next)) continue
    Object.freeze(next)
    for (const child of Object.values(next)) pending.push(child)
  }
  return value
}
