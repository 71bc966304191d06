import { messageOf } from '../internal/message-of.js'
import { warn } from '../internal/platform.js'

/** Something that went wrong where nobody waits for an answer. */
export interface ServerProblem {
  readonly part: 'counters' | 'approvals' | 'audit' | 'contracts'
  /** What happened and what it means, in words; without the API key. */
  readonly message: string
  readonly error?: unknown
}

export type ReportProblem = (problem: ServerProblem) => void

/** A warning of the process unless somebody listens; a listener that fails does not hide the problem. */
export function problemReporter(listener: ReportProblem | undefined): ReportProblem {
  const warnOf = ({ message, error }: ServerProblem): void =>
    warn(error === undefined ? message : `${message}: ${messageOf(error)}`)
  if (listener === undefined) return warnOf
  return (problem) => {
    try {
      listener(problem)
    } catch {
      warnOf(problem)
    }
  }
}
