// One bundle, two vocabularies: the text of a bundle rewritten word by word into the other one. Everything that is not such
// a word stays as the author wrote it, comments included.
import { EdictumConfigError } from './config-error.js'
import { loadBundleString } from './load.js'
import { allWords, type BundleKind, type Words, wordsOf } from './words.js'
import { parseYaml, type SourceMap, type TextRange } from './yaml.js'

type Mapping = Readonly<Record<string, unknown>>
type Path = readonly (string | number)[]

interface Replacement extends TextRange {
  readonly text: string
}

/**
 * The text of a bundle in the vocabulary of `kind`: the text itself when it is written so, otherwise one that means the same.
 * @throws EdictumConfigError for a bundle that does not load, or whose form (an alias for a key, say) hides a word.
 */
export function translateBundle(text: string, kind: BundleKind): string {
  const { bundle } = loadBundleString(text)
  const { value, source } = parseYaml(text)
  const root = value as Mapping
  const from = wordsOf(root)
  const to = allWords.find((words) => words.kind === kind) ?? from
  if (to === from) return text
  const translated = replaceAll(text, new WordSearch(source, from, to).search(root))
  if (!meansTheSame(translated, bundle))
    throw new EdictumConfigError([
      {
        code: 'invalid-value',
        message: `the bundle cannot be written as a ${kind}`,
        hint: 'write its words out instead of using aliases, escapes or tags for them',
      },
    ])
  return translated
}

class WordSearch {
  readonly #source: SourceMap
  readonly #from: Words
  readonly #to: Words
  readonly #found = new Map<number, Replacement>()

  constructor(source: SourceMap, from: Words, to: Words) {
    this.#source = source
    this.#from = from
    this.#to = to
  }

  search(root: Mapping): readonly Replacement[] {
    const { contracts } = this.#from
    this.#note(['kind'], 'value', { word: this.#from.kind, becomes: this.#to.kind })
    this.#note([contracts], 'key', { word: contracts, becomes: this.#to.contracts })
    for (const [index, contract] of (root[contracts] as readonly Mapping[]).entries()) {
      const path = [contracts, index]
      this.#judgement(contract, path, 'outside')
      this.#timeout(contract, path)
      const consequence = contract['then'] as Mapping | undefined
      if (consequence === undefined) continue
      const { effect } = this.#from
      this.#judgement(consequence, [...path, 'then'], effect)
      this.#note([...path, 'then', effect], 'key', { word: effect, becomes: this.#to.effect })
      this.#timeout(consequence, [...path, 'then'])
    }
    return [...this.#found.values()].toSorted((left, right) => left.start - right.start)
  }

  #timeout(mapping: Mapping, path: Path): void {
    for (const name of this.#from.timeoutEffect) {
      if (!Object.hasOwn(mapping, name)) continue
      this.#judgement(mapping, path, name)
      this.#note([...path, name], 'key', { word: name, becomes: this.#to.timeoutEffect[0] })
    }
  }

  #judgement(mapping: Mapping, path: Path, field: string): void {
    for (const name of ['deny', 'approve'] as const) {
      if (mapping[field] === this.#from[name])
        this.#note([...path, field], 'value', { word: this.#from[name], becomes: this.#to[name] })
    }
  }

  /** Only where the word really stands: behind an alias another place is shown, which is no place to write. */
  #note(path: Path, at: 'key' | 'value', { word, becomes }: { word: string; becomes: string }): void {
    const { start, end } = this.#source.locate(path, at)
    const written = this.#source.text.slice(start, end)
    const bare = /^(["'])(.*)\1$/s.exec(written)?.[2] ?? written
    if (bare === word) this.#found.set(start, { start, end, text: written.replace(word, becomes) })
  }
}

function replaceAll(text: string, replacements: readonly Replacement[]): string {
  let result = ''
  let at = 0
  for (const { start, end, text: replacement } of replacements) {
    result += text.slice(at, start) + replacement
    at = end
  }
  return result + text.slice(at)
}

function meansTheSame(text: string, bundle: object): boolean {
  try {
    return write(loadBundleString(text).bundle) === write(bundle)
  } catch (error) {
    if (error instanceof EdictumConfigError) return false
    throw error
  }
}

function write(bundle: object): string {
  return JSON.stringify(bundle, (_, value: unknown) => (value instanceof Map ? [...value] : value))
}
