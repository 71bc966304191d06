/** A pattern made ready to run by one of the engines. */
export interface Matcher {
  test(text: string): boolean
  replaceAll(text: string, replacement: string): string
}
