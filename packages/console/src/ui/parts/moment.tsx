import { type ReactNode, useEffect, useState } from 'react'
import { formatAgo, formatDay, formatTime } from './time-words.js'

/** The present, anew every so often. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}

/** A time of day, with the date when it was not today. */
export function Moment({ at }: { at: string }): ReactNode {
  const time = Date.parse(at)
  const now = useNow(60_000)
  return (
    <time dateTime={at} title={at}>
      {formatDay(time, now)}
      {formatTime(time)}
    </time>
  )
}

/** How long ago. */
export function Ago({ at }: { at: string }): ReactNode {
  const now = useNow(1_000)
  return (
    <time dateTime={at} title={at}>
      {formatAgo(now - Date.parse(at))}
    </time>
  )
}
