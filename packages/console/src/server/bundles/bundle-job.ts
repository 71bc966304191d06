// Work on the text of a bundle, as it is handed to a worker and comes back.
import type { Evaluation, SimulatedCall } from './evaluate.js'
import type { Examination } from './examine.js'
import type { RecordedCall, Replay } from './replay.js'

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
}

export type BundleJobName = keyof BundleJobs
