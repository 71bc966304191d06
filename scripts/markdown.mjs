// @ts-check
// What the checks need to know of a Markdown page: its fenced blocks, its links, its headings.

/**
 * @typedef {object} Block
 * @property {string} language first word after the fence, lower case
 * @property {readonly string[]} words the words after the language
 * @property {string} text
 * @property {number} line 1-based line of the block's first line of text
 * @property {string} before the last line above the fence that is not empty
 * @property {string} after the first line below it that is not empty
 */

/**
 * @typedef {object} Page
 * @property {Block[]} blocks
 * @property {{ target: string, line: number }[]} links
 * @property {Set<string>} anchors
 */

const openingFence = /^(\s*)(`{3,}(?!.*`)|~{3,})\s*(.*)$/
const inlineLink = /\]\(\s*<?([^\s<>)]+)>?(?:\s+"[^"]*")?\s*\)/g
const linkDefinition = /^\s{0,3}\[[^\]]+\]:\s+<?(\S+?)>?(?:\s+"[^"]*")?\s*$/
const heading = /^#{1,6}\s+(.*?)\s*#*\s*$/

/**
 * @param {string} source
 * @returns {Page}
 */
export function readPage(source) {
  /** @type {Page} */
  const page = { blocks: [], links: [], anchors: new Set() }
  const lines = source.split('\n')
  for (let index = 0; index < lines.length; index += 1) {
    const text = lines[index] ?? ''
    if (openingFence.test(text)) {
      const { block, end } = readBlock(lines, index)
      page.blocks.push(block)
      index = end
    } else {
      readLine({ page, text, line: index + 1 })
    }
  }
  return page
}

/**
 * @param {readonly string[]} lines
 * @param {number} start index of the opening fence
 * @returns {{ block: Block, end: number }} `end` is the index of the closing fence
 */
function readBlock(lines, start) {
  const [, indentation = '', fence = '', info = ''] = openingFence.exec(lines[start] ?? '') ?? []
  const [language = '', ...words] = info.trim().split(/\s+/)
  const text = []
  for (const line of lines.slice(start + 1)) {
    const trimmed = line.trim()
    const isClosing = trimmed.length >= fence.length && trimmed === fence.charAt(0).repeat(trimmed.length)
    if (isClosing) break
    text.push(line.startsWith(indentation) ? line.slice(indentation.length) : line.trimStart())
  }
  const end = start + 1 + text.length
  const isFilled = (/** @type {string} */ line) => line.trim() !== ''
  const block = {
    language: language.toLowerCase(),
    words,
    text: text.join('\n'),
    line: start + 2,
    before: lines.slice(0, start).findLast(isFilled)?.trim() ?? '',
    after:
      lines
        .slice(end + 1)
        .find(isFilled)
        ?.trim() ?? '',
  }
  return { block, end }
}

/** @param {{ page: Page, text: string, line: number }} place */
function readLine({ page, text, line }) {
  const title = heading.exec(text)?.[1]
  if (title !== undefined) addAnchor(page.anchors, title)
  for (const [, name] of text.matchAll(/<a\s+(?:id|name)="([^"]+)"/g)) page.anchors.add(String(name))
  // A link inside inline code is an example of a link.
  const prose = text.replaceAll(/(`+)(?!`).*?\1/g, (code) => ' '.repeat(code.length))
  for (const [, target] of prose.matchAll(inlineLink)) page.links.push({ target: String(target), line })
  const definition = linkDefinition.exec(prose)?.[1]
  if (definition !== undefined) page.links.push({ target: definition, line })
}

/**
 * Names a heading as code hosts do.
 * @param {Set<string>} anchors
 * @param {string} title
 */
function addAnchor(anchors, title) {
  const plain = title.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[*`]/g, '')
  const slug = plain
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')
  let name = slug
  for (let copy = 1; anchors.has(name); copy += 1) name = `${slug}-${copy}`
  anchors.add(name)
}

/**
 * Padded as the formatter pads it, so that both agree.
 * @param {readonly string[]} header
 * @param {readonly (readonly unknown[])[]} rows
 */
export function formatTable(header, rows) {
  const cells = [header, ...rows].map((row) => row.map((cell) => String(cell).replaceAll('|', '\\|')))
  const widths = header.map((_, column) => Math.max(3, ...cells.map((row) => row[column]?.length ?? 0)))
  const lines = cells.map(
    (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`,
  )
  const [first = '', ...rest] = lines
  return [first, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rest].join('\n')
}
