/** The last place at or before the wanted one where a text can be cut without splitting a character in two. */
export function cutAtCodePoint(text: string, wanted: number): number {
  if (wanted <= 0) return 0
  if (wanted >= text.length) return text.length
  const isInsidePair = isBetween(text.charCodeAt(wanted - 1), 0xd800, 0xdbff)
  return isInsidePair && isBetween(text.charCodeAt(wanted), 0xdc00, 0xdfff) ? wanted - 1 : wanted
}

function isBetween(unit: number, first: number, last: number): boolean {
  return unit >= first && unit <= last
}
