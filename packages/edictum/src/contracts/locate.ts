// Gives each problem its place in the text: line, column, the offending text, and a frame with a caret.
import { makeVisible } from '../internal/visible-text.js'
import { type Diagnostic, formatPath, type Problem } from './diagnostic.js'
import type { SourceMap, TextRange } from './yaml.js'

export function locateProblems(
  problems: readonly Problem[],
  source: SourceMap,
  file: string | undefined,
): readonly Diagnostic[] {
  const lines = lineStarts(source.text)
  return problems
    .map((problem) => {
      const range = rangeOf(problem, source)
      return { range, diagnostic: place(problem, { range, source, lines, file }) }
    })
    .toSorted((a, b) => a.range.start - b.range.start)
    .map(({ diagnostic }) => diagnostic)
}

/** A diagnostic for a problem known by its offset only, as syntax errors are. */
export function locateOffset(
  problem: Problem,
  text: string,
  options: { offset: number; file: string | undefined },
): Diagnostic {
  const offset = Math.min(options.offset, text.length)
  const range = { start: offset, end: offset + 1 }
  return place(problem, {
    range,
    source: { text, locate: () => range },
    lines: lineStarts(text),
    file: options.file,
  })
}

interface Place {
  readonly range: TextRange
  readonly source: SourceMap
  readonly lines: readonly number[]
  readonly file: string | undefined
}

function place(problem: Problem, { range, source, lines, file }: Place): Diagnostic {
  const { line, column } = positionOf(range.start, lines)
  const related =
    problem.related === undefined
      ? ''
      : ` (${problem.related.label} line ${positionOf(source.locate(problem.related.path, 'value').start, lines).line})`
  return {
    code: problem.code,
    message: problem.message + related,
    ...(problem.path.length === 0 ? {} : { path: formatPath(problem.path) }),
    ...(file === undefined ? {} : { file }),
    line,
    column,
    text: source.text.slice(range.start, Math.min(range.end, range.start + 200)),
    ...(problem.expected === undefined ? {} : { expected: problem.expected }),
    ...(problem.hint === undefined ? {} : { hint: problem.hint }),
    frame: drawFrame(source.text, range, lines),
  }
}

function rangeOf(problem: Problem, source: SourceMap): TextRange {
  if (problem.range !== undefined) return problem.range
  const range = source.locate(problem.path, problem.at)
  if (problem.offsetInValue === undefined) return range
  // Only a value without escapes keeps its offsets; elsewhere the whole value is shown.
  const raw = source.text.slice(range.start, range.end)
  const quote = raw.startsWith('"') || raw.startsWith("'") ? 1 : 0
  if (raw.includes('\\') && quote === 1 && raw.startsWith('"')) return range
  const start = range.start + quote + problem.offsetInValue
  return start < range.end - quote ? { start, end: range.end - quote } : range
}

function lineStarts(text: string): readonly number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

function positionOf(offset: number, lines: readonly number[]): { line: number; column: number } {
  let low = 0
  let high = lines.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((lines[middle] ?? 0) <= offset) low = middle
    else high = middle - 1
  }
  return { line: low + 1, column: offset - (lines[low] ?? 0) + 1 }
}

const frameWidth = 96

/** The source line with carets under the offending part, cut to a readable window around it. */
function drawFrame(text: string, range: TextRange, lines: readonly number[]): string {
  const { line, column } = positionOf(range.start, lines)
  const start = lines[line - 1] ?? 0
  const nextLine = text.indexOf('\n', start)
  const whole = text.slice(start, nextLine === -1 ? text.length : nextLine).replace(/\r$/, '')
  const cutBefore = Math.max(0, column - 1 - Math.floor(frameWidth / 2))
  const cut = cutBefore > 0 && whole.length > frameWidth ? cutBefore : 0
  const shown = makeVisible(whole.slice(cut, cut + frameWidth))
  const caretAt = column - 1 - cut
  const length = Math.max(1, Math.min(range.end - range.start, shown.length - caretAt))
  const label = String(line)
  const gutter = ' '.repeat(label.length)
  return [
    `  ${gutter} |`,
    `  ${label} | ${shown}`,
    `  ${gutter} | ${' '.repeat(caretAt)}${'^'.repeat(length)}`,
  ].join('\n')
}
