import type { ReactNode } from 'react'
import type { CheckedDraft } from '../data/use-bundle-check.js'
import { Failure, Progress } from './states.js'

/** Whether what is said about a draft is about what is written now. */
export function CheckProgress({ check: { failure, isBehind } }: { check: CheckedDraft }): ReactNode {
  if (isBehind) return <Progress what="Checking" />
  return failure === undefined ? null : <Failure failure={failure} />
}
