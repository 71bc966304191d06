import { type ReactNode, useEffect, useRef } from 'react'
import Plot from 'uplot'
import { resolveColour, useColourScheme } from './colour-scheme.js'
import { closeSteps } from './time-steps.js'

export interface ChartSeries {
  readonly name: string
  readonly values: readonly number[]
  /** A custom property of the style sheet. */
  readonly colour: string
}

/** Counts belong to a stretch of time, not to a moment. */
const paths = Plot.paths.stepped?.({ align: 1 })

function timeLabel(seconds: number, step: number): string {
  const time = new Date(seconds * 1_000)
  const two = (value: number): string => String(value).padStart(2, '0')
  return step >= 86_400
    ? `${two(time.getMonth() + 1)}-${two(time.getDate())}`
    : `${two(time.getHours())}:${two(time.getMinutes())}`
}

/** Lines over time. The same numbers are in a table beside it, for those who do not see it. */
export function Chart({
  times,
  series,
  label,
}: {
  times: readonly number[]
  series: readonly ChartSeries[]
  label: string
}): ReactNode {
  const place = useRef<HTMLDivElement>(null)
  const scheme = useColourScheme()
  useEffect(() => {
    const { current } = place
    if (current === null) return
    const steps = closeSteps(
      times,
      series.map(({ values }) => values),
    )
    const lines = resolveColour(current, '--line')
    const text = resolveColour(current, '--muted')
    const axis = { stroke: text, grid: { stroke: lines, width: 1 }, ticks: { stroke: lines, width: 1 } }
    const plot = new Plot(
      {
        width: current.clientWidth,
        height: 200,
        cursor: { drag: { x: false, y: false } },
        legend: { show: false },
        scales: { y: { range: (_plot, _low, high) => [0, Math.max(1, high * 1.1)] } },
        axes: [
          {
            ...axis,
            values: (_plot, marks) => marks.map((mark) => timeLabel(mark, (marks[1] ?? 0) - (marks[0] ?? 0))),
          },
          { ...axis, size: 46, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 1e5, 1e6] },
        ],
        series: [
          {},
          ...series.map(({ name, colour }) => ({
            label: name,
            stroke: resolveColour(current, colour),
            ...(paths === undefined ? {} : { paths }),
            width: 2,
            points: { show: false },
          })),
        ],
      },
      [steps.times.map((time) => time / 1_000), ...steps.lines.map((line) => [...line])],
      current,
    )
    const observer = new ResizeObserver(() => plot.setSize({ width: current.clientWidth, height: 200 }))
    observer.observe(current)
    return () => {
      observer.disconnect()
      plot.destroy()
    }
    // The colours are read from the style sheet, which looks another way in another scheme.
  }, [times, series, scheme])
  return <div ref={place} className="chart" role="img" aria-label={label} />
}
