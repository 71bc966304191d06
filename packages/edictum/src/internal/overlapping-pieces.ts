/** A text this long is read in a millisecond or so, by most of what reads it. */
export const pieceLength = 512 * 1024

export interface TextRange {
  readonly start: number
  readonly end: number
}

/**
 * A text in pieces, each of which begins with the end of the one before it: whatever is no longer than the overlap lies
 * whole in one of them.
 */
export function* overlappingPieces(
  text: string,
  overlap: number,
  length = pieceLength,
): Generator<TextRange, void> {
  for (let start = 0; ; start += length) {
    const end = Math.min(start + length + overlap, text.length)
    yield { start, end }
    if (end === text.length) return
  }
}
