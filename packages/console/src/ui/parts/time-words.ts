// Durations and times in words short enough for a table.

const units = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const

/** The largest unit, and the next one while it says something: `2 h 5 min`. */
export function formatDuration(milliseconds: number): string {
  const whole = Math.max(0, Math.round(milliseconds / 1_000)) * 1_000
  for (const [index, [size, unit]] of units.entries()) {
    if (whole < size) continue
    const [nextSize, nextUnit] = units[index + 1] ?? [1_000, 's']
    const rest = index === units.length - 1 ? 0 : Math.floor((whole % size) / nextSize)
    const main = `${Math.floor(whole / size)} ${unit}`
    return rest === 0 ? main : `${main} ${rest} ${nextUnit}`
  }
  return '0 s'
}

/** Below ten seconds the milliseconds count. */
function formatShort(milliseconds: number): string {
  return milliseconds < 10_000 ? `${Math.max(0, Math.round(milliseconds))} ms` : formatDuration(milliseconds)
}

/** For what was measured in whole milliseconds: nought is what took less than one. */
export function formatWhole(milliseconds: number): string {
  return milliseconds < 1 ? 'under 1 ms' : formatShort(milliseconds)
}

/** For what mostly takes less than a millisecond. */
export function formatPrecise(milliseconds: number): string {
  if (milliseconds < 1) return `${Math.round(milliseconds * 1_000)} µs`
  return milliseconds < 10 ? `${milliseconds.toFixed(1)} ms` : formatShort(milliseconds)
}

export function formatAgo(milliseconds: number): string {
  if (milliseconds < 2_000) return 'now'
  const [size, unit] = units.find(([length]) => milliseconds >= length) ?? [1_000, 's']
  return `${Math.floor(milliseconds / size)} ${unit} ago`
}

export function formatTime(time: number): string {
  if (!Number.isFinite(time)) return 'unknown'
  return new Date(time).toLocaleTimeString(undefined, { hour12: false })
}

/** With a space behind it; empty for today. */
export function formatDay(time: number, now: number): string {
  if (!Number.isFinite(time)) return ''
  const day = new Date(time)
  return day.toDateString() === new Date(now).toDateString()
    ? ''
    : `${day.toLocaleDateString(undefined, { year: 'numeric', month: '2-digit', day: '2-digit' })} `
}
