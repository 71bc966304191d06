// Contract distribution over HTTP and SSE.
//
//   GET  /api/edictum/v1/bundles/{name}/current  → CurrentBundle (environment of the key)
//   GET  /api/edictum/v1/stream                  → notices, see streams.ts
//   POST /api/edictum/v1/bundles/acknowledge     BundleAcknowledgement → {}

/** What is signed for our own client: a bundle cannot be passed off as another one, nor an old one as new. */
export interface BundleManifest {
  readonly name: string
  readonly version: number
  readonly env: string
  /** Grows with every deployment of this bundle in this environment. */
  readonly sequence: number
  /** SHA-256 of the bytes, hexadecimal. */
  readonly revision_hash: string
  readonly signed_at: string
  /** Hexadecimal: all public keys in force, so that whoever trusts one of them learns its successor in time. */
  readonly keys?: readonly string[]
}

export interface CurrentBundle {
  readonly manifest: BundleManifest
  /** Base64 of the exact bytes. */
  readonly yaml_bytes: string
  readonly signatures: readonly BundleSignature[]
}

/** While keys overlap there are two. Ed25519 over the canonical JSON of the manifest. */
export interface BundleSignature {
  /** Hexadecimal. */
  readonly public_key: string
  /** Base64. */
  readonly signature: string
}

/** Look again: the client fetches what is current over HTTP. */
export interface BundleNotice {
  readonly bundle_name: string
  readonly revision_hash: string
  readonly sequence: number
}

export interface BundleAcknowledgement {
  readonly bundle_name: string
  readonly revision_hash: string
  readonly outcome: 'applied' | 'rejected'
  readonly reason?: string
}
