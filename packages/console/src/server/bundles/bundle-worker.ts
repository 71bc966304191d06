// A thread that reads bundles for the server. It has no environment variables: a draft cannot ask for them.
import { parentPort } from 'node:worker_threads'
import type { BundleJobName, BundleJobs } from './bundle-job.js'
import { evaluateCall } from './evaluate.js'
import { examineBundle } from './examine.js'
import { replayCalls } from './replay.js'
import { putSideBySide } from './side-by-side.js'

type Work = {
  readonly [Name in BundleJobName]: (input: BundleJobs[Name]['input']) => BundleJobs[Name]['result']
}

const work: Work = {
  examine: ({ text }) => examineBundle(text),
  evaluate: ({ text, call }) => evaluateCall(text, call),
  replay: ({ text, calls }) => replayCalls(text, calls),
  'side-by-side': ({ contract, versions }) => putSideBySide(contract, versions),
}

parentPort?.on('message', ({ name, input }: { name: BundleJobName; input: never }) => {
  try {
    parentPort?.postMessage({ result: work[name](input) })
  } catch (error) {
    parentPort?.postMessage({
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    })
  }
})
