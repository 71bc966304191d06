import { type ChildProcess, spawn } from 'node:child_process'
import { processProgram } from './host-program.js'
import {
  type Ending,
  type Isolate,
  type IsolatedCall,
  type IsolatedTool,
  isolateTool,
} from './isolated-tool.js'
import { IsolationError } from './isolation-error.js'
import { type IsolationOptions, type IsolationSettings, readIsolationOptions } from './isolation-options.js'
import { hasProcessGroups, keepUntilGone, release, signalGroup } from './process-group.js'

/**
 * Runs the tool in a process of its own, one for each call, and kills that process and all it has started on abort and
 * when the call is over. A crash or a lack of memory there stays there.
 * @throws EdictumConfigError
 */
export function isolateInProcess(options: IsolationOptions): IsolatedTool {
  return isolateTool(readIsolationOptions(options), startProcess)
}

function startProcess(call: IsolatedCall, settings: IsolationSettings): Isolate {
  const { env, execArgv, memoryMb } = settings
  const child = spawn(
    process.execPath,
    [`--max-old-space-size=${Math.ceil(memoryMb)}`, ...execArgv, '--eval', processProgram],
    {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
      env,
      detached: hasProcessGroups,
      windowsHide: true,
    },
  )
  keepUntilGone(child)
  const isolate = watch(child, memoryMb)
  try {
    // Whether it arrived is of no interest: without an answer the process has ended.
    child.send(call, () => {})
  } catch (error) {
    isolate.destroy()
    throw error
  }
  return isolate
}

function watch(child: ChildProcess, memoryMb: number): Isolate {
  let leave = (): void => {}
  const gone = new Promise<void>((resolve) => {
    leave = () => {
      release(child)
      resolve()
    }
  })
  const ending = new Promise<Ending>((resolve) => {
    const fail = (error: IsolationError) => resolve({ kind: 'failed', error })
    child.once('message', (answer) => resolve({ kind: 'answered', answer }))
    child.on('error', (error) => {
      fail(
        new IsolationError('ended', `the tool's process could not be started (${error.name})`, {
          cause: error,
        }),
      )
      if (child.pid === undefined) leave()
    })
    // What the tool has started may outlive it.
    child.once('exit', () => signalGroup(child, 'SIGKILL'))
    // Only now has everything arrived that was sent before the end.
    child.once('close', (code, signal) => {
      fail(explainEnd(code, signal, memoryMb))
      leave()
    })
  })
  return {
    ending,
    gone,
    askToStop: () => signalGroup(child, 'SIGTERM'),
    destroy: () => {
      // The number of a process that is gone may belong to another by now.
      if (child.exitCode === null && child.signalCode === null) signalGroup(child, 'SIGKILL')
    },
  }
}

function explainEnd(code: number | null, signal: NodeJS.Signals | null, memoryMb: number): IsolationError {
  // Node.js aborts itself when it runs out of memory; its exit code is that of a shell after SIGABRT.
  if (signal === 'SIGABRT' || code === 134) {
    return new IsolationError(
      'out-of-memory',
      `the tool aborted, as it does when it needs more than ${memoryMb} MB`,
    )
  }
  const how = signal === null ? `with exit code ${code}` : `by ${signal}`
  return new IsolationError('ended', `the tool's process ended ${how} and did not answer`)
}
