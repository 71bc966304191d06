// Looks for many short texts at once by a pair of neighbouring characters out of each: one look into a table per
// character of the text, whatever the number of texts. What it costs is what a clean text costs to scan.

/** A place where an occurrence of something may begin, because one of its texts stands there. */
export type Visit<Item> = (item: Item, start: number, anchor: string) => 'go on' | 'stop'

interface Entry<Item> {
  readonly item: Item
  readonly anchor: string
  /** Where in the anchor the pair stands. */
  readonly offset: number
}

const alphabet = 128

export class AnchorIndex<Item> {
  /** The number of a bucket for each pair of ASCII characters; 0 for most. */
  readonly #bucketOf = new Uint16Array(alphabet * alphabet)
  readonly #buckets: Entry<Item>[][] = [[]]

  /** Anchors are ASCII and at least two characters long. Those given together are visited in the order of the text. */
  add(item: Item, anchors: readonly string[]): void {
    const offset = rarestOffset(anchors)
    for (const anchor of anchors) {
      const pair = pairOf(anchor.charCodeAt(offset), anchor.charCodeAt(offset + 1))
      let bucket = this.#bucketOf[pair] ?? 0
      if (bucket === 0) {
        bucket = this.#buckets.push([]) - 1
        this.#bucketOf[pair] = bucket
      }
      this.#buckets[bucket]?.push({ item, anchor, offset })
    }
  }

  /** Whether any anchor occurs. */
  occursIn(text: string): boolean {
    const bucketOf = this.#bucketOf
    let previous = 0
    for (let at = 0; at < text.length; at++) {
      const character = text.charCodeAt(at)
      const bucket = bucketOf[pairOf(previous, character)]
      previous = character
      if (bucket === 0) continue
      for (const { anchor, offset } of this.#buckets[bucket ?? 0] ?? [])
        if (text.startsWith(anchor, at - 1 - offset)) return true
    }
    return false
  }

  /** Visits the anchors whose pair ends in the range. Ranges that adjoin miss nothing and report nothing twice. */
  visit(text: string, range: { readonly start: number; readonly end: number }, visit: Visit<Item>): void {
    const bucketOf = this.#bucketOf
    let previous = range.start === 0 ? 0 : text.charCodeAt(range.start - 1)
    for (let at = range.start; at < range.end; at++) {
      const character = text.charCodeAt(at)
      const bucket = bucketOf[pairOf(previous, character)]
      previous = character
      if (bucket !== 0 && this.#compare(text, at, { bucket: bucket ?? 0, visit }) === 'stop') return
    }
  }

  #compare(
    text: string,
    at: number,
    { bucket, visit }: { bucket: number; visit: Visit<Item> },
  ): 'go on' | 'stop' {
    for (const { item, anchor, offset } of this.#buckets[bucket] ?? []) {
      const start = at - 1 - offset
      if (start < 0 || text.charCodeAt(start) !== anchor.charCodeAt(0)) continue
      if (text.startsWith(anchor, start) && visit(item, start, anchor) === 'stop') return 'stop'
    }
    return 'go on'
  }
}

/** Characters beyond ASCII fall on others; what is found is compared in full. */
function pairOf(first: number, second: number): number {
  return ((first & 0x7f) << 7) | (second & 0x7f)
}

/** The same place in all anchors, where the least frequent pair of any of them begins. */
function rarestOffset(anchors: readonly string[]): number {
  const shortest = Math.min(...anchors.map((anchor) => anchor.length))
  let best = 0
  let lowest = Infinity
  for (let offset = 0; offset + 1 < shortest; offset++) {
    const frequency = Math.max(
      ...anchors.map((anchor) => frequencyOf(anchor.charAt(offset)) * frequencyOf(anchor.charAt(offset + 1))),
    )
    if (frequency < lowest) {
      best = offset
      lowest = frequency
    }
  }
  return best
}

/** From the most to the least frequent in code, logs and prose, roughly. */
const byFrequency = ' etanoirslcdupmhfg.-"0byv=12:/,_wk345678EATSINCR9xODLPMUFBGjqz\nVHKWYXJZQ'

function frequencyOf(character: string): number {
  const place = byFrequency.indexOf(character)
  return place === -1 ? 0.002 : 1 / (place + 2)
}
