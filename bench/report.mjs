// @ts-check
// One description of a report, two renderings: an aligned table for the terminal, Markdown for the record.

const terminalWidth = 100

/**
 * @typedef {{ title: string, align: 'left' | 'right' }} Column
 * @typedef {{ title: string, columns: Column[], rows: string[][], notes?: string[] }} Section
 * @typedef {'time' | 'ratio' | 'bytes' | 'count'} Unit
 * @typedef {object} Figure a target of the specification as numbers, to be compared over several runs
 * @property {string} id T1 to T15
 * @property {string} goal
 * @property {number} value
 * @property {number} limit
 * @property {number} [floor] the least that may be called done
 * @property {Unit} unit times in nanoseconds
 * @property {'less' | 'more'} better
 * @typedef {{ goal: string, measured: string, state: 'met' | 'not met' | 'not measured' | 'for comparison',
 *   figure?: Figure }} Target
 * @typedef {{ title: string, intro: string[], sections: Section[], targets: Target[], data: unknown }} Report
 */

/**
 * @param {string} title
 * @returns {Column}
 */
export function words(title) {
  return { title, align: 'left' }
}

/**
 * @param {string} title
 * @returns {Column}
 */
export function figures(title) {
  return { title, align: 'right' }
}

/**
 * @param {Target[]} targets
 * @returns {Section}
 */
function targetSection(targets) {
  return {
    title: 'Targets',
    columns: [words('target'), words('measured'), words('result')],
    rows: targets.map(({ goal, measured, state }) => [goal, measured, state]),
  }
}

/** @param {Report} report */
function sectionsOf({ sections, targets }) {
  return targets.length === 0 ? sections : [...sections, targetSection(targets)]
}

/** @param {Report} report */
export function renderForTerminal(report) {
  const lines = [report.title, '='.repeat(report.title.length), ...report.intro.flatMap(wrap), '']
  for (const section of sectionsOf(report)) {
    lines.push(section.title, '-'.repeat(section.title.length))
    const widths = columnWidths(section)
    const cells = [section.columns.map(({ title }) => title), ...section.rows]
    for (const row of cells)
      lines.push(
        row
          .map((cell, index) => pad(cell, widths[index] ?? 0, section.columns[index]))
          .join('  ')
          .trimEnd(),
      )
    lines.push(...(section.notes ?? []).flatMap(wrap), '')
  }
  return lines.join('\n')
}

/** @param {Report} report */
export function renderAsMarkdown(report) {
  const lines = [`# ${report.title}`, '', ...report.intro.map((line) => `- ${line}`), '']
  for (const section of sectionsOf(report)) {
    const widths = columnWidths(section).map((width) => Math.max(width, 3))
    const line = (/** @type {string[]} */ row) =>
      `| ${row.map((cell, index) => pad(cell, widths[index] ?? 0, section.columns[index])).join(' | ')} |`
    const rule = section.columns.map(({ align }, index) => {
      const width = widths[index] ?? 3
      return align === 'right' ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width)
    })
    lines.push(
      `## ${section.title}`,
      '',
      line(section.columns.map(({ title }) => title)),
      `| ${rule.join(' | ')} |`,
    )
    lines.push(...section.rows.map(line), '')
    if (section.notes?.length) lines.push(...section.notes.map((note) => `- ${note}`), '')
  }
  return lines.join('\n')
}

/** @param {Section} section */
function columnWidths(section) {
  return section.columns.map(({ title }, index) =>
    Math.max(title.length, ...section.rows.map((row) => row[index]?.length ?? 0)),
  )
}

/**
 * @param {string} cell
 * @param {number} width
 * @param {Column | undefined} column
 */
function pad(cell, width, column) {
  return column?.align === 'right' ? cell.padStart(width) : cell.padEnd(width)
}

/** @param {string} text */
function wrap(text) {
  const lines = ['']
  for (const word of text.split(' ')) {
    const last = lines.length - 1
    const line = lines[last] ?? ''
    if (line.length + word.length + 1 > terminalWidth) lines.push(`  ${word}`)
    else lines[last] = line === '' ? word : `${line} ${word}`
  }
  return lines
}

/** @type {Record<Unit, (value: number) => string>} */
const formats = { time: formatTime, ratio: formatRatio, bytes: formatBytes, count: formatCount }

/**
 * @param {number} value
 * @param {Unit} unit
 */
export function formatFigure(value, unit) {
  return formats[unit](value)
}

/**
 * @param {Omit<Figure, 'better' | 'unit' | 'id'> & { id?: string, unit?: Unit, better?: Figure['better'] }} figure
 * @returns {Target}
 */
export function judge({ id, goal, value, limit, floor, unit = 'time', better = 'less' }) {
  if (Number.isNaN(value)) return { goal, measured: '–', state: 'not measured' }
  const isWithin = (/** @type {number} */ bound) => (better === 'less' ? value <= bound : value >= bound)
  const measured = formatFigure(value, unit)
  const withFloor =
    floor === undefined
      ? measured
      : `${measured}, ${isWithin(floor) ? 'within' : 'beyond'} the floor of ${formatFigure(floor, unit)}`
  return {
    goal,
    measured: isWithin(limit) ? measured : withFloor,
    state: isWithin(limit) ? 'met' : 'not met',
    ...(id === undefined
      ? {}
      : { figure: { id, goal, value, limit, ...(floor === undefined ? {} : { floor }), unit, better } }),
  }
}

/** The columns of a measurement, whatever was measured. */
export const measurementColumns = [
  figures('best'),
  figures('median'),
  figures('p50'),
  figures('p99'),
  figures('p99.9'),
  figures('allocated'),
]

/** @param {import('./harness.mjs').Measurement} measurement */
export function measurementCells({ best, median, p50, p99, p999, allocated }) {
  const weight =
    allocated === null ? '–' : allocated < 1024 ? `${formatCount(allocated)} B` : formatBytes(allocated)
  return [...[best, median, p50, p99, p999].map(formatTime), weight]
}

/** @param {number | null} nanoseconds */
export function formatTime(nanoseconds) {
  if (nanoseconds === null || Number.isNaN(nanoseconds)) return '–'
  if (nanoseconds < 1e3) return `${nanoseconds.toPrecision(3)} ns`
  if (nanoseconds < 1e6) return `${significant(nanoseconds / 1e3)} µs`
  if (nanoseconds < 1e9) return `${significant(nanoseconds / 1e6)} ms`
  return `${significant(nanoseconds / 1e9)} s`
}

/** @param {number} bytes */
export function formatBytes(bytes) {
  return bytes < 1024 * 1024 ? `${significant(bytes / 1024)} KB` : `${significant(bytes / 1024 / 1024)} MB`
}

/** @param {number} count */
export function formatCount(count) {
  return Math.round(count).toLocaleString('en-US')
}

/** @param {number} ratio */
export function formatRatio(ratio) {
  return `${ratio >= 100 ? formatCount(ratio) : ratio.toPrecision(3)}x`
}

/** @param {number} value */
function significant(value) {
  return value >= 100 ? formatCount(value) : value.toPrecision(3)
}
