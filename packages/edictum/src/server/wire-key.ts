// Control characters and halves of characters have no place in the keys of a server that speaks with many languages. They
// are written out behind a sign of their own, so that no two keys become one; every other key is sent as it is, and so is
// the key under which any other client finds the value.
const sign = '\u241b'
// oxlint-disable-next-line no-control-regex -- control characters are what this finds
const unsendable = /[\u0000-\u001f\u007f-\u009f\u241b]|\p{Surrogate}/gu

export function toWireKey(key: string): string {
  return key.replace(unsendable, (character) => sign + character.charCodeAt(0).toString(16).padStart(4, '0'))
}
