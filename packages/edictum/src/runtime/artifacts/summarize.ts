import { cutAtCodePoint } from './code-point-cut.js'

const longestSummary = 200

/** How the text begins, on one line. */
export function summarize(text: string): string {
  return text.slice(0, cutAtCodePoint(text, longestSummary)).replaceAll(/\r\n|[\r\n]/g, ' ')
}
