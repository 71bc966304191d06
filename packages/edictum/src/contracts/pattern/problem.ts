export interface PatternProblem {
  /** Not a regular expression at all, or one that cannot be run in linear time or is not in the dialect. */
  readonly kind: 'syntax' | 'unsupported'
  readonly message: string
  readonly hint: string
  /** Where in the source it starts. */
  readonly offset: number
}
