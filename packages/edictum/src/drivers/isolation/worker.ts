import { Worker } from 'node:worker_threads'
import { messageOf } from '../../internal/message-of.js'
import { workerProgram } from './host-program.js'
import {
  type Ending,
  type Isolate,
  type IsolatedCall,
  type IsolatedTool,
  isolateTool,
} from './isolated-tool.js'
import { IsolationError } from './isolation-error.js'
import { type IsolationOptions, type IsolationSettings, readIsolationOptions } from './isolation-options.js'

/**
 * Runs the tool in a thread of its own, one for each call, and ends the thread on abort, also in the middle of an
 * endless loop. It does not end a thread that waits for the system, and a thread can still bring the process down.
 * @throws EdictumConfigError
 */
export function isolateInWorker(options: IsolationOptions): IsolatedTool {
  return isolateTool(readIsolationOptions(options), startWorker)
}

function startWorker(call: IsolatedCall, settings: IsolationSettings): Isolate {
  const { env, execArgv, memoryMb } = settings
  // As a module and not with `eval`: there Node.js would pass over `--import`.
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(workerProgram)}`), {
    workerData: call,
    env,
    execArgv: [...execArgv],
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
    stdout: true,
    stderr: true,
  })
  // Nobody reads what the tool prints; left alone it would pile up here.
  worker.stdout.resume()
  worker.stderr.resume()
  const gone = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  const ending = new Promise<Ending>((resolve) => {
    const fail = (error: IsolationError) => resolve({ kind: 'failed', error })
    worker.once('message', (answer) => resolve({ kind: 'answered', answer }))
    worker.once('messageerror', (error) =>
      fail(new IsolationError('not-cloneable', `the result cannot be copied: ${error.message}`)),
    )
    worker.on('error', (error) => fail(explainCrash(error, memoryMb)))
    worker.once('exit', (code) =>
      fail(
        new IsolationError('ended', `the tool ended its thread with exit code ${code} and did not answer`),
      ),
    )
  })
  return {
    ending,
    gone,
    askToStop: () => worker.postMessage('stop'),
    destroy: () => void worker.terminate(),
  }
}

function explainCrash(error: unknown, memoryMb: number): IsolationError {
  if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return new IsolationError('out-of-memory', `the tool needed more than ${memoryMb} MB of memory`)
  }
  return new IsolationError('ended', `the tool crashed: ${messageOf(error)}`, { cause: error })
}
