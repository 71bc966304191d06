// Any text as one that both databases keep as it is: PostgreSQL has none with a NUL, and neither has half a character.

const awkward = /[\\\0\p{Surrogate}]/gu
const escaped = /\\(\\|u([0-9a-f]{4}))/g

/** Different texts stay different. */
export function toStorable(text: string): string {
  return text.replaceAll(awkward, (character) =>
    character === '\\' ? '\\\\' : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

export function fromStorable(stored: string): string {
  return stored.replaceAll(escaped, (_, sign: string, code: string | undefined) =>
    code === undefined ? sign : String.fromCharCode(Number.parseInt(code, 16)),
  )
}
