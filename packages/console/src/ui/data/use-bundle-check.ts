import { useEffect, useState } from 'react'
import type { BundleCheck, BundleFindings, TriedCall } from '../../protocol/bundle-check.js'
import { request, RequestFailed } from './request.js'

const pauseMs = 250

export interface CheckedDraft {
  /** Of the last text that was checked; undefined before the first answer. */
  readonly findings: BundleFindings | undefined
  readonly failure: RequestFailed | undefined
  /** What is written has not been answered yet. */
  readonly isBehind: boolean
}

/** What the server finds in a draft, a moment after the last keystroke. */
export function useBundleCheck(text: string, call?: TriedCall): CheckedDraft {
  const body = JSON.stringify({
    yaml_content: text,
    ...(call === undefined ? {} : { call }),
  } satisfies BundleCheck)
  const [answer, setAnswer] = useState<Omit<CheckedDraft, 'isBehind'> & { body?: string }>({
    findings: undefined,
    failure: undefined,
  })
  useEffect(() => {
    const abort = new AbortController()
    const timer = setTimeout(() => {
      request<BundleFindings>('/api/edictum/v1/bundles/check', {
        method: 'POST',
        body: JSON.parse(body) as BundleCheck,
        signal: abort.signal,
      }).then(
        (findings) => setAnswer({ body, findings, failure: undefined }),
        (error: unknown) => {
          if (error instanceof RequestFailed) setAnswer({ body, findings: undefined, failure: error })
        },
      )
    }, pauseMs)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [body])
  const { findings, failure } = answer
  return { findings, failure, isBehind: answer.body !== body }
}
