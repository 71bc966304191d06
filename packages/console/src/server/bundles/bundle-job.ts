// Work on the text of a bundle, as it is handed to a worker and comes back.
import type { CandidateTexts } from '../../protocol/candidates.js'
import type { Evaluation, SimulatedCall } from './evaluate.js'
import type { Examination } from './examine.js'
import type { RecordedCall, Replay } from './replay.js'
import type { TextOfVersion } from './side-by-side.js'

export interface BundleJobs {
  readonly examine: { readonly input: { readonly text: string }; readonly result: Examination }
  readonly evaluate: {
    readonly input: { readonly text: string; readonly call: SimulatedCall }
    readonly result: Evaluation
  }
  readonly replay: {
    readonly input: { readonly text: string; readonly calls: readonly RecordedCall[] }
    readonly result: Replay
  }
  readonly 'side-by-side': {
    readonly input: { readonly contract: string; readonly versions: readonly TextOfVersion[] }
    readonly result: CandidateTexts
  }
}

export type BundleJobName = keyof BundleJobs
