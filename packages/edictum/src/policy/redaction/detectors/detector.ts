// What a detector is made of. The tables beside this file are data; `detector-set.ts` runs them.

export interface Span {
  readonly start: number
  readonly end: number
}

/** Says which part of a match is the find, or undefined when it only looks like one. Looks at a bounded part of the text. */
export type Verify = (text: string, match: Span) => Span | undefined

/**
 * A find that begins with a fixed text, or follows one, and may go on without end.
 *
 * Patterns are read by the platform's engine and by ours, in the same way, and a test has ours prove each of them
 * linear. They match from where the fixed text ends.
 */
export interface AnchoredForm {
  readonly kind: 'anchored'
  /** One of these comes first. ASCII, at least two characters each. */
  readonly begins: readonly string[]
  /** Characters, as in a class of a pattern, of which none may stand before that. */
  readonly notAfter?: string
  /** What else comes before the find. With it, the find begins here; without it, with the fixed text. */
  readonly lead?: string
  readonly find: string
  readonly verify?: Verify
}

/** A find that can begin with many things, but is never longer than so many characters. */
export interface BoundedForm {
  readonly kind: 'bounded'
  readonly find: string
  readonly longest: number
  /** A character that is in every find. */
  readonly contains?: string
  readonly verify?: Verify
}

export interface Detector {
  /** Where the format is described in public. */
  readonly source: string
  readonly forms: readonly (AnchoredForm | BoundedForm)[]
}

/** A form in which the find follows something that stays readable when it is masked. */
export function follows(form: Omit<AnchoredForm, 'kind' | 'lead'> & { readonly lead: string }): AnchoredForm {
  return { kind: 'anchored', ...form }
}

/** `password`, `Password`, `PASSWORD`. */
export function inAnyCase(...words: readonly string[]): readonly string[] {
  return words.flatMap((word) => [word, word.charAt(0).toUpperCase() + word.slice(1), word.toUpperCase()])
}
