/** Freezes plain data in place, all the way down, and returns it. Iterates, so depth cannot exhaust the stack. */
export function deepFreeze<T>(value: T): T {
  const pending: object[] = []
  const freeze = (next: unknown): void => {
    if (typeof next !== 'object' || next === null || Object.isFrozen(next)) return
    Object.freeze(next)
    pending.push(next)
  }
  freeze(value)
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (Array.isArray(next)) for (const item of next) freeze(item)
    else for (const key of Object.keys(next)) freeze((next as Record<string, unknown>)[key])
  }
  return value
}
