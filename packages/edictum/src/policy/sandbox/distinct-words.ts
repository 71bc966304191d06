/** A list so short that reading a word of it twice costs less than finding out. */
const fewWords = 12

/** Every word at least once; long lists of the same words are not read again and again. */
export function distinctWords(words: readonly string[]): Iterable<string> {
  return words.length <= fewWords ? words : new Set(words)
}
