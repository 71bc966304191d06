// The spellings a text may stand for as a path: as written, and as programs that decode, trim or expand it read it.

/** What a text may expand to; undefined when it must not be guessed. */
export interface Expansions {
  readonly home: () => string
  readonly readVariable: (name: string) => string | undefined
}

const mostDecodings = 3

/** Undefined when the text has a form that no path has, or one that cannot be known: then it is outside. */
export function pathForms(text: string, expansions: Expansions): readonly string[] | undefined {
  if (isPlain(text)) return [text]
  const forms = new Set<string>()
  for (const part of splitLines(text)) {
    for (const form of decodedForms(part)) {
      if (form.includes('\0')) return undefined
      const expanded = expandStart(form, expansions)
      if (expanded === undefined) return undefined
      forms.add(expanded)
      // A program that does not expand opens the name as it is written.
      forms.add(form)
    }
  }
  return [...forms]
}

/** Nothing in it that any program reads differently. */
function isPlain(text: string): boolean {
  return /^[\w./+=,:@-]+$/.test(text) && !/^file:/i.test(text)
}

function splitLines(text: string): readonly string[] {
  return /[\r\n]/.test(text) ? [text, ...text.split(/[\r\n]+/)].filter((line) => line.trim() !== '') : [text]
}

function decodedForms(text: string): ReadonlySet<string> {
  const forms = new Set<string>([text])
  for (const form of [text, text.trim()]) {
    let decoded = form
    for (let round = 0; round <= mostDecodings; round++) {
      addSpellings(decoded, forms)
      const next = decodePercent(decoded)
      if (next === decoded) break
      decoded = next
    }
  }
  return forms
}

function addSpellings(text: string, forms: Set<string>): void {
  const local = withoutFileScheme(text)
  forms.add(local)
  const quoted = /^(["'`])(.+)\1$/s.exec(local)
  if (quoted?.[2] !== undefined) forms.add(quoted[2])
  if (/[^\0-\u007f]/.test(local)) {
    // Look-alikes of dots and slashes, and characters that vanish, for programs that normalise names.
    forms.add(
      local
        .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
        .normalize('NFKC')
        .replaceAll(/[\u2044\u2215\u29f8]/g, '/'),
    )
  }
  if (/(?:^|[\\/])\.\.\\|^[\\]|^[a-zA-Z]:[\\/]/.test(local)) {
    forms.add(local.replace(/^[a-zA-Z]:/, '').replaceAll('\\', '/'))
  }
}

/** Only what matters in a path is decoded: ASCII, and the overlong spellings of a dot and a slash. */
function decodePercent(text: string): string {
  if (!text.includes('%')) return text
  return text
    .replaceAll(/%c0%ae|%e0%80%ae/gi, '.')
    .replaceAll(/%c0%af|%e0%80%af/gi, '/')
    .replaceAll(/%(?:u00)?([0-7][0-9a-f])/gi, (_, digits: string) =>
      String.fromCharCode(Number.parseInt(digits, 16)),
    )
}

function withoutFileScheme(text: string): string {
  const scheme = /^\s*file:(?:[\\/]{2}[^\\/]*(?=[\\/]))?/i.exec(text)
  return scheme === null ? text : text.slice(scheme[0].length).replace(/[?#].*$/s, '')
}

/** A leading `~`, `$NAME`, `${NAME}` or `%NAME%`. What names another user or an unknown variable cannot be known. */
function expandStart(text: string, { home, readVariable }: Expansions): string | undefined {
  if (text.startsWith('~')) {
    if (text === '~' || text.startsWith('~/')) return home() + text.slice(1)
    return /^~[\w+-]*(?:\/|$)/.test(text) ? undefined : text
  }
  const variable = /^\$(?:\{(\w+)\}|(\w+))/.exec(text)
  if (variable === null) return text
  const name = variable[1] ?? variable[2] ?? ''
  const value = name === 'HOME' ? home() : readVariable(name)
  const rest = text.slice(variable[0].length)
  if (value !== undefined) return value + rest
  // `$5` or `$schema` alone names no place; with a path behind it, nobody knows where that starts.
  return rest.startsWith('/') ? undefined : text
}
