import { useEffect, useState } from 'react'
import type { BundleCheck, BundleFindings, TriedCall } from '../../protocol/bundle-check.js'
import { request } from './request.js'

const pauseMs = 250

/** What the server finds in a draft, a moment after the last keystroke. Undefined until the first answer. */
export function useBundleCheck(text: string, call?: TriedCall): BundleFindings | undefined {
  const [findings, setFindings] = useState<BundleFindings>()
  const body = JSON.stringify({
    yaml_content: text,
    ...(call === undefined ? {} : { call }),
  } satisfies BundleCheck)
  useEffect(() => {
    const abort = new AbortController()
    const timer = setTimeout(() => {
      request<BundleFindings>('/api/edictum/v1/bundles/check', {
        method: 'POST',
        body: JSON.parse(body) as BundleCheck,
        signal: abort.signal,
      }).then(setFindings, () => undefined)
    }, pauseMs)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [body])
  return findings
}
