// Runs a choice of detectors over a text of any length, in one pass that can be interrupted.
//
// Only beginnings are looked for part by part: fixed texts by `anchor-index.ts`, forms of bounded length by their
// pattern. Whether there is a find is then decided on the whole text, so no border between parts can hide one.
import { type DetectorName, detectorsNamed } from '../../../contracts/detectors.js'
import { redactedText } from '../redacted-text.js'
import { AnchorIndex } from './anchor-index.js'
import { type CompiledBounded, compileForm, type CompiledForm } from './compiled-form.js'
import type { Span } from './detector.js'
import { detectors } from './library.js'

/** What was found, and by which detector. */
export interface Finding extends Span {
  readonly detector: DetectorName
}

/** How much of a text is read between two chances to pause. */
export const stepLength = 32_768

const nothing: readonly never[] = Object.freeze([])

export class DetectorSet {
  readonly #anchored = new AnchorIndex<number>()
  readonly #forms: readonly CompiledForm[]
  readonly #bounded: readonly { readonly compiled: CompiledBounded; readonly index: number }[]

  constructor(names: readonly DetectorName[]) {
    this.#forms = names.flatMap(formsOf)
    this.#forms.forEach(({ form }, index) => {
      if (form.kind === 'bounded') return
      // A find that follows something is the same whichever beginning is seen first; others start at the leftmost.
      if (form.lead === undefined) this.#anchored.add(index, form.begins)
      else for (const beginning of form.begins) this.#anchored.add(index, [beginning])
    })
    this.#bounded = this.#forms.flatMap((compiled, index) =>
      compiled.kind === 'bounded' ? [{ compiled, index }] : [],
    )
  }

  /** Whether there is any reason to look closer. A cheap question about a short text, most of which have none. */
  mayFind(text: string): boolean {
    return this.#bounded.length > 0 || this.#anchored.occursIn(text)
  }

  /** Whether anything is found. */
  test(text: string): boolean {
    return this.#scan(text, 'first').findings.length > 0
  }

  /** Everything found, ordered by place. Finds of different detectors may overlap. */
  find(text: string): readonly Finding[] {
    return this.#scan(text, 'all').inOrder()
  }

  /** The same, pausing every `stepLength` characters. */
  *findInSteps(text: string): Generator<undefined, readonly Finding[]> {
    const scan = new Scan(text, 'all', this.#forms.length)
    for (let start = 0; start < text.length; start += stepLength) {
      if (start > 0) yield
      this.#read(scan, { start, end: Math.min(start + stepLength, text.length) })
    }
    return scan.inOrder()
  }

  /** What is found in the value of a field, whose name may say what the value is. */
  findInField(text: string, field: string | undefined): readonly Finding[] {
    if (field === undefined || !this.#anchored.occursIn(field)) return this.find(text)
    const opening = `"${field}":"`
    return this.find(`${opening}${text}"`).flatMap(({ detector, start, end }) => {
      const from = Math.max(0, start - opening.length)
      const to = Math.min(text.length, end - opening.length)
      return from < to ? [{ detector, start: from, end: to }] : []
    })
  }

  testField(text: string, field: string | undefined): boolean {
    return field === undefined || !this.#anchored.occursIn(field)
      ? this.test(text)
      : this.findInField(text, field).length > 0
  }

  /** Masks what is found, and what masking brings to light: doing it twice changes nothing. */
  redact(text: string, known?: readonly Finding[]): string {
    const findings = known ?? this.find(text)
    return findings.length === 0 ? text : this.#redactAround(text, findings)
  }

  /** Whether the text begins with a token that needs nothing around it to be recognised. */
  beginsWithToken(text: string): boolean {
    let isToken = false
    const range = { start: 0, end: Math.min(text.length, longestBeginning) }
    this.#anchored.visit(text, range, (index, start, beginning) => {
      const compiled = this.#forms[index]
      if (start > 0 || compiled?.kind !== 'anchored' || compiled.form.lead !== undefined) return 'go on'
      isToken = compiled.attempt(text, start, beginning)?.found?.start === 0
      return isToken ? 'stop' : 'go on'
    })
    return isToken
  }

  #scan(text: string, wanted: Wanted): Scan {
    const scan = new Scan(text, wanted, this.#forms.length)
    for (let start = 0; start < text.length && !scan.isOver; start += stepLength)
      this.#read(scan, { start, end: Math.min(start + stepLength, text.length) })
    return scan
  }

  #read(scan: Scan, range: Span): void {
    const { text } = scan
    this.#anchored.visit(text, range, (index, start, beginning) => {
      const compiled = this.#forms[index]
      if (compiled?.kind !== 'anchored' || start < scan.resumeOf(index)) return 'go on'
      const attempt = compiled.attempt(text, start, beginning)
      if (attempt === undefined) return 'go on'
      scan.resumeAt(index, attempt.resume)
      if (attempt.found !== undefined) scan.add(compiled.detector, attempt.found)
      return scan.isOver ? 'stop' : 'go on'
    })
    for (const { compiled, index } of this.#bounded) {
      if (scan.isOver) return
      readBounded(scan, range, { compiled, index })
    }
  }

  /**
   * A mask is a new neighbour for what stands beside it, and a form that was refused because of its neighbour may now
   * be one. Only the surroundings of new masks are looked at again, and each round masks more than the last.
   */
  #redactAround(text: string, findings: readonly Finding[]): string {
    let masked = mask(text, findings)
    for (let round = 0; round < mostRounds; round++) {
      const scan = new Scan(masked.text, 'all', this.#forms.length)
      let end = 0
      for (const place of masked.places) {
        const start = Math.max(end, place - surroundings)
        end = Math.min(masked.text.length, place + redactedText.length + surroundings)
        if (start < end) this.#read(scan, { start, end })
      }
      const more = scan
        .inOrder()
        .filter((found) => masked.text.slice(found.start, found.end) !== redactedText)
      if (more.length === 0) break
      masked = mask(masked.text, more)
    }
    return masked.text
  }
}

const longestBeginning = 24
const surroundings = 512
const mostRounds = 16

type Wanted = 'first' | 'all'

/** What one pass over a text has come to. */
class Scan {
  readonly text: string
  readonly findings: Finding[] = []
  readonly #wanted: Wanted
  readonly #formCount: number
  #resume: Float64Array | undefined

  constructor(text: string, wanted: Wanted, formCount: number) {
    this.text = text
    this.#wanted = wanted
    this.#formCount = formCount
  }

  get isOver(): boolean {
    return this.#wanted === 'first' && this.findings.length > 0
  }

  add(detector: DetectorName, { start, end }: Span): void {
    this.findings.push({ detector, start, end })
  }

  resumeOf(form: number): number {
    return this.#resume?.[form] ?? 0
  }

  resumeAt(form: number, place: number): void {
    this.#resume ??= new Float64Array(this.#formCount)
    this.#resume[form] = place
  }

  inOrder(): readonly Finding[] {
    if (this.findings.length === 0) return nothing
    return this.findings.toSorted((a, b) => a.start - b.start || b.end - a.end)
  }
}

/** How far a pattern looks around what it matches. */
const lookAround = 4

function readBounded(
  scan: Scan,
  range: Span,
  { compiled, index }: { compiled: CompiledBounded; index: number },
): void {
  const { text } = scan
  const { form, search, verify, detector } = compiled
  const offset = Math.max(0, range.start - lookAround)
  const part = text.slice(offset, range.end + form.longest + lookAround)
  if (form.contains !== undefined && !part.includes(form.contains)) return
  search.lastIndex = Math.max(range.start, scan.resumeOf(index)) - offset
  for (let match = search.exec(part); match !== null; match = search.exec(part)) {
    const start = match.index + offset
    if (start >= range.end) return
    const found = verify(text, { start, end: start + match[0].length })
    search.lastIndex = (found === undefined ? start + 1 : found.end) - offset
    if (found === undefined) continue
    scan.add(detector, found)
    scan.resumeAt(index, found.end)
    if (scan.isOver) return
  }
}

interface Masked {
  readonly text: string
  /** Where the masks begin. */
  readonly places: readonly number[]
}

/** Finds that touch become one mask. */
function mask(text: string, findings: readonly Finding[]): Masked {
  const parts: string[] = []
  const places: number[] = []
  let length = 0
  let copied = 0
  for (let index = 0; index < findings.length;) {
    const { start } = findings[index] ?? { start: text.length }
    let end = start
    for (let next = findings[index]; next !== undefined && next.start <= end; next = findings[++index])
      end = Math.max(end, next.end)
    parts.push(text.slice(copied, start), redactedText)
    length += start - copied
    places.push(length)
    length += redactedText.length
    copied = end
  }
  parts.push(text.slice(copied))
  return { text: parts.join(''), places }
}

const compiledForms = new Map<DetectorName, readonly CompiledForm[]>()

function formsOf(name: DetectorName): readonly CompiledForm[] {
  let forms = compiledForms.get(name)
  if (forms === undefined) {
    forms = detectors[name].forms.map((form) => compileForm(name, form))
    compiledForms.set(name, forms)
  }
  return forms
}

const knownSets = new Map<string, DetectorSet>()

/** The detectors that a list of names and groups stands for. The same choice is compiled once. */
export function detectorSet(names: readonly string[]): DetectorSet {
  const chosen = detectorsNamed(names)
  const key = chosen.join()
  let set = knownSets.get(key)
  if (set === undefined) {
    set = new DetectorSet(chosen)
    // A bundle has few choices; one that is made to have many is compiled again instead of kept.
    if (knownSets.size >= 256) knownSets.clear()
    knownSets.set(key, set)
  }
  return set
}
