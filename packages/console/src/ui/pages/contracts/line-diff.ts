// What is different between two texts, line by line: the longest common run of lines stays.

export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added'
  readonly text: string
}

/** Beyond this the table of lengths would be too large for a browser. */
const mostCells = 16_000_000

export function diffLines(before: string, after: string): readonly DiffLine[] {
  const left = before.split('\n')
  const right = after.split('\n')
  let head = 0
  while (head < left.length && head < right.length && left[head] === right[head]) head++
  let tail = 0
  while (
    tail < left.length - head &&
    tail < right.length - head &&
    left[left.length - 1 - tail] === right[right.length - 1 - tail]
  )
    tail++
  const same = (lines: readonly string[]): readonly DiffLine[] =>
    lines.map((text) => ({ kind: 'same', text }))
  return [
    ...same(left.slice(0, head)),
    ...diffMiddle(left.slice(head, left.length - tail), right.slice(head, right.length - tail)),
    ...same(left.slice(left.length - tail)),
  ]
}

function diffMiddle(left: readonly string[], right: readonly string[]): readonly DiffLine[] {
  const removed = left.map((text): DiffLine => ({ kind: 'removed', text }))
  const added = right.map((text): DiffLine => ({ kind: 'added', text }))
  if (left.length * right.length > mostCells) return [...removed, ...added]
  const width = right.length + 1
  const lengths = new Uint32Array((left.length + 1) * width)
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0
  for (let row = left.length - 1; row >= 0; row--)
    for (let column = right.length - 1; column >= 0; column--)
      lengths[row * width + column] =
        left[row] === right[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1))
  const lines: DiffLine[] = []
  let [row, column] = [0, 0]
  while (row < left.length && column < right.length) {
    if (left[row] === right[column]) {
      lines.push({ kind: 'same', text: left[row] ?? '' })
      row++
      column++
    } else if (at(row + 1, column) >= at(row, column + 1))
      lines.push({ kind: 'removed', text: left[row++] ?? '' })
    else lines.push({ kind: 'added', text: right[column++] ?? '' })
  }
  return [...lines, ...removed.slice(row), ...added.slice(column)]
}
