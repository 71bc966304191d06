import { useCallback, useRef, useState } from 'react'
import { RequestFailed } from './request.js'
import { refreshAll } from './resources.js'

export interface Action<Input> {
  readonly run: (input: Input) => void
  readonly isRunning: boolean
  readonly failure: RequestFailed | undefined
  readonly clearFailure: () => void
}

/** Something a person does that changes things: once at a time, with what went wrong at hand. */
export function useAction<Input, Result>(
  perform: (input: Input) => Promise<Result>,
  onDone?: (result: Result) => void,
): Action<Input> {
  const [isRunning, setRunning] = useState(false)
  const [failure, setFailure] = useState<RequestFailed>()
  const underWay = useRef(false)
  const run = (input: Input): void => {
    if (underWay.current) return
    underWay.current = true
    setRunning(true)
    setFailure(undefined)
    perform(input)
      .then(
        (result) => {
          onDone?.(result)
          refreshAll()
        },
        (error: unknown) => {
          setFailure(error instanceof RequestFailed ? error : new RequestFailed(0, { detail: String(error) }))
          refreshAll()
        },
      )
      .finally(() => {
        underWay.current = false
        setRunning(false)
      })
  }
  return { run, isRunning, failure, clearFailure: useCallback(() => setFailure(undefined), []) }
}
