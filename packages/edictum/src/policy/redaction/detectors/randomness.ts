// Tells values that a machine made up from words that people wrote. Everything here looks at a bounded part of a text.

const longestJudged = 256

/** Bits per character: 0 for one repeated letter, about 4 for random hexadecimal, about 6 for random base64. */
export function entropyOf(value: string): number {
  const judged = value.slice(0, longestJudged)
  const counts = new Map<string, number>()
  for (const character of judged) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / judged.length) * Math.log2(count / judged.length)
  return bits
}

/** Whether a text without blanks looks like a key: mixed, and not made of words. */
export function looksRandom(value: string): boolean {
  const judged = value.slice(0, longestJudged)
  if (!/[0-9]/.test(judged) || !/[A-Za-z]/.test(judged)) return false
  if (entropyOf(judged) < 3) return false
  return !isMadeOfWords(judged)
}

const words = /[A-Z]?[a-z]{3,}|[A-Z]{4,}/g

/** Most of the letters stand in runs that read like words: an identifier, a path, a sentence. */
function isMadeOfWords(value: string): boolean {
  let inWords = 0
  for (const [word] of value.matchAll(words)) inWords += word.length
  return inWords * 2 > value.length
}

/** The name of a variable or of what belongs here, not the thing itself: `$TOKEN`, `${{ secrets.X }}`, `<your key>`. */
export function isReference(value: string): boolean {
  return /^["']?(?:\$[A-Za-z_{(]|%[A-Za-z_]+%|\{|<[^>]{0,64}>?["']?$)/.test(value)
}

const placeholders =
  /example|changeme|placeholder|your[-_]|xxxx|\*\*\*|\.\.\.|1234567|process\.env|os\.environ/i

/** What stands in documents and templates in place of a secret. */
export function isPlaceholder(value: string): boolean {
  const judged = value.slice(0, longestJudged)
  return isReference(judged) || placeholders.test(judged) || new Set(judged).size < 4
}
