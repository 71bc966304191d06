// Whether a bundle is what it claims to be: signed by a key this agent trusts, for this name and environment, unaltered.
// The signature is over the manifest, so a bundle cannot be passed off as another one, nor an old one as new.
import { createHash, createPublicKey, verify } from 'node:crypto'
import { canonicalJson } from '../internal/canonical-json.js'
import { BundleVerificationError } from './bundle-verification-error.js'
import { isIdentifier } from './identifier.js'
import type { BundleManifest, BundleSignature, CurrentBundle } from './protocol/bundles.js'

export interface VerifiedBundle {
  readonly manifest: BundleManifest
  /** Exactly what was hashed. */
  readonly bytes: Uint8Array
  /** What was verified, to be kept and verified again. */
  readonly source: CurrentBundle
}

export interface Expectation {
  readonly name: string
  readonly env: string
  /** Hexadecimal Ed25519 keys; one good signature by one of them is enough. */
  readonly trustedKeys: readonly string[]
}

const keyForm = /^[0-9a-f]{64}$/
const hashForm = /^[0-9a-f]{64}$/
const base64Form = /^[A-Za-z0-9+/]+={0,2}$/
/** What stands before the 32 bytes of an Ed25519 key in its SPKI form. */
const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex')

export function isPublicKey(value: unknown): value is string {
  return typeof value === 'string' && keyForm.test(value)
}

/** @throws BundleVerificationError */
export function verifyBundle(source: CurrentBundle, expected: Expectation): VerifiedBundle {
  const { manifest, signatures } = checkShape(source)
  checkSignatures(manifest, signatures, expected.trustedKeys)
  if (manifest.name !== expected.name)
    throw fault('wrong-name', `the bundle is ${manifest.name}, not ${expected.name}`)
  if (manifest.env !== expected.env)
    throw fault('wrong-environment', `the bundle is for ${manifest.env}, not for ${expected.env}`)
  const bytes = Buffer.from(source.yaml_bytes, 'base64')
  if (createHash('sha256').update(bytes).digest('hex') !== manifest.revision_hash)
    throw fault('wrong-hash', 'the text of the bundle is not the one that was signed')
  return { manifest, bytes, source }
}

/** Keys a bundle is really signed with, whether or not anybody trusts them. */
export function signersOf(source: CurrentBundle): readonly string[] {
  const { manifest, signatures } = checkShape(source)
  const bytes = Buffer.from(canonicalJson(manifest))
  return signatures.filter((signature) => isGood(bytes, signature)).map(({ public_key }) => public_key)
}

function checkSignatures(
  manifest: BundleManifest,
  signatures: readonly BundleSignature[],
  trustedKeys: readonly string[],
): void {
  if (signatures.length === 0) throw fault('unsigned', 'the bundle has no signature')
  const trusted = signatures.filter(({ public_key }) => trustedKeys.includes(public_key))
  if (trusted.length === 0)
    throw fault('untrusted-key', 'the bundle is signed, but by no key this agent trusts')
  const bytes = Buffer.from(canonicalJson(manifest))
  if (!trusted.some((signature) => isGood(bytes, signature)))
    throw fault('wrong-signature', 'the signature of the bundle is not good')
}

function isGood(bytes: Uint8Array, { public_key, signature }: BundleSignature): boolean {
  if (!isPublicKey(public_key) || !base64Form.test(signature) || signature.length % 4 !== 0) return false
  try {
    const der = Buffer.concat([spkiPrefix, Buffer.from(public_key, 'hex')])
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' })
    return verify(null, bytes, key, Buffer.from(signature, 'base64'))
  } catch {
    return false
  }
}

/** Nothing of an answer is used before its shape is known, and nothing before its signature is anything but data. */
function checkShape(source: CurrentBundle): CurrentBundle {
  const { manifest, signatures, yaml_bytes: text } = source
  const isManifest =
    typeof manifest === 'object' &&
    manifest !== null &&
    isIdentifier(manifest.name) &&
    isIdentifier(manifest.env) &&
    Number.isSafeInteger(manifest.sequence) &&
    manifest.sequence > 0 &&
    typeof manifest.revision_hash === 'string' &&
    hashForm.test(manifest.revision_hash) &&
    (manifest.keys === undefined || (Array.isArray(manifest.keys) && manifest.keys.every(isPublicKey)))
  const isSigned =
    Array.isArray(signatures) &&
    signatures.length <= 16 &&
    signatures.every(
      (entry: Partial<BundleSignature> | null) =>
        typeof entry?.public_key === 'string' && typeof entry.signature === 'string',
    )
  if (!isManifest || !isSigned || typeof text !== 'string' || !base64Form.test(text))
    throw fault('malformed', 'the server sent something that is not a signed bundle')
  return source
}

function fault(kind: BundleVerificationError['fault'], message: string): BundleVerificationError {
  return new BundleVerificationError(kind, message)
}
