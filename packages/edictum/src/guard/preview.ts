/** The beginning of a value's text form. Stops as soon as it has enough, however large the value is. */
export function previewOf(value: unknown, length: number): string {
  if (typeof value === 'string') return value.slice(0, length)
  const writer = new PreviewWriter(length)
  writer.write(value, 0)
  return writer.text
}

const deepest = 8

class PreviewWriter {
  text = ''
  readonly #length: number

  constructor(length: number) {
    this.#length = length
  }

  write(value: unknown, depth: number): void {
    if (this.#isFull()) return
    if (typeof value === 'string') this.#add(JSON.stringify(value.slice(0, this.#length)))
    else if (value instanceof Error) this.#add(value.message)
    else if (value instanceof Uint8Array) this.#add(`<${value.byteLength} bytes>`)
    else if (Array.isArray(value)) this.#list(value, depth)
    else if (typeof value === 'object' && value !== null) this.#fields(value, depth)
    else this.#add(String(value))
  }

  #list(items: readonly unknown[], depth: number): void {
    this.#add('[')
    for (let index = 0; index < items.length && !this.#isFull(); index++) {
      if (index > 0) this.#add(',')
      if (depth < deepest) this.write(items[index], depth + 1)
      else this.#add('…')
    }
    this.#add(']')
  }

  #fields(value: object, depth: number): void {
    this.#add('{')
    let first = true
    for (const key of Object.keys(value)) {
      if (this.#isFull()) return
      this.#add(`${first ? '' : ','}${JSON.stringify(key.slice(0, this.#length))}:`)
      first = false
      if (depth < deepest) this.write((value as Record<string, unknown>)[key], depth + 1)
      else this.#add('…')
    }
    this.#add('}')
  }

  #add(text: string): void {
    this.text += text.slice(0, Math.max(0, this.#length - this.text.length))
  }

  #isFull(): boolean {
    return this.text.length >= this.#length
  }
}
