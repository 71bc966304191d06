// Text from agents is not to be trusted: characters that hide, reorder or move other text are shown by their number.

const hiddenOrReordering = String.raw`\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb`
const halfOfACharacter = String.raw`[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]`
const invisibleTag = String.raw`\udb40[\udc00-\udc7f]`
const deceptive = new RegExp(`[${hiddenOrReordering}]|${halfOfACharacter}|${invisibleTag}`, 'g')

export interface TextPiece {
  readonly kind: 'text' | 'escape'
  readonly text: string
}

export function splitDeceptive(text: string): readonly TextPiece[] {
  const pieces: TextPiece[] = []
  let end = 0
  for (const { 0: character, index } of text.matchAll(deceptive)) {
    if (index > end) pieces.push({ kind: 'text', text: text.slice(end, index) })
    const shown = nameOf(character)
    const last = pieces.at(-1)
    // A run of them is one piece: a megabyte of them must not become a million elements.
    if (last?.kind === 'escape') pieces[pieces.length - 1] = { kind: 'escape', text: `${last.text} ${shown}` }
    else pieces.push({ kind: 'escape', text: shown })
    end = index + character.length
  }
  if (end < text.length) pieces.push({ kind: 'text', text: text.slice(end) })
  return pieces
}

function nameOf(character: string): string {
  const code = character.length > 1 ? (character.codePointAt(0) ?? 0) : character.charCodeAt(0)
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}

/** Not in the middle of a character that takes two places. */
export function cutText(text: string, length: number): string {
  if (text.length <= length) return text
  const last = text.charCodeAt(length - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length)
}
