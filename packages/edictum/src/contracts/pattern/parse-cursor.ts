import type { PatternProblem } from './problem.js'

export interface Cursor {
  readonly source: string
  at: number
  depth: number
  readonly groupNames: Set<string>
}

export interface Flags {
  readonly ignoreCase: boolean
  readonly multiline: boolean
  readonly dotAll: boolean
  readonly verbose: boolean
  /** Whether words and digits are those of ASCII only. */
  readonly ascii: boolean
}

export interface Complaint {
  /** Where the construct starts, if not where the cursor stands. */
  readonly at?: number
  readonly message: string
  readonly hint: string
}

/** Leaves the recursive descent; caught where the parser is entered, never seen outside. */
export class PatternRefusal extends Error {
  readonly problem: PatternProblem
  constructor(problem: PatternProblem) {
    super(problem.message)
    this.problem = problem
  }
}

export function refuseSyntax(cursor: Cursor, complaint: Complaint): never {
  throw new PatternRefusal({
    kind: 'syntax',
    message: complaint.message,
    hint: complaint.hint,
    offset: complaint.at ?? cursor.at,
  })
}

export function refuseUnsupported(cursor: Cursor, complaint: Complaint): never {
  throw new PatternRefusal({
    kind: 'unsupported',
    message: complaint.message,
    hint: complaint.hint,
    offset: complaint.at ?? cursor.at,
  })
}
