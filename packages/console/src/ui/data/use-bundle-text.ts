import { type ShownResource, useResource } from './use-resource.js'

/** The text of a version, byte by byte as it was uploaded. */
export function useBundleText(name: string, version: string): ShownResource<string> {
  return useResource(`/api/v1/bundles/${encodeURIComponent(name)}/${encodeURIComponent(version)}/yaml`)
}
