import { useEffect, useState } from 'react'
import { RequestFailed } from './request.js'

/** The text of a version, byte by byte as it was uploaded. */
export function useBundleText(name: string, version: string): string | undefined {
  const [text, setText] = useState<string>()
  useEffect(() => {
    const abort = new AbortController()
    readBundleText(name, version, abort.signal).then(setText, () => undefined)
    return () => abort.abort()
  }, [name, version])
  return text
}

async function readBundleText(name: string, version: string, signal: AbortSignal): Promise<string> {
  const path = `/api/v1/bundles/${encodeURIComponent(name)}/${encodeURIComponent(version)}/yaml`
  const response = await fetch(path, { signal })
  if (!response.ok) throw new RequestFailed(response.status, undefined)
  return response.text()
}
