import type { ReactNode } from 'react'

const width = 240
const height = 48

/** How many of something there are of each size. The same is in words beside it. */
export function Bars({
  counts,
  step,
  mark,
  label,
}: {
  counts: readonly number[]
  /** How many sizes one bar stands for. */
  step: number
  /** A size to draw a line at. */
  mark: number
  label: string
}): ReactNode {
  const tallest = Math.max(1, ...counts)
  const sizes = Math.max(counts.length, Math.ceil((mark + 1) / step))
  const bar = width / sizes
  return (
    <svg className="bars" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
      {counts.map((count, index) => {
        const tall = count === 0 ? 0 : Math.max(2, (count / tallest) * (height - 4))
        return (
          <rect
            key={`bar ${index}`}
            x={index * bar}
            y={height - tall}
            width={Math.max(1, bar - 1)}
            height={tall}
          />
        )
      })}
      <line x1={(mark / step) * bar} x2={(mark / step) * bar} y1={0} y2={height} />
    </svg>
  )
}
