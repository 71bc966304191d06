// The bundle in force, as it is handed to agents: exact bytes, and signatures over them.
import type { BundleManifest, BundleSignature, CurrentBundle } from '../../protocol/bundles.js'
import type { BundleKind, BundleText, BundleVersion } from '../../store/bundles.js'
import { canonicalJson } from '../../store/canonical-json.js'
import type { DeployedBundle } from '../../store/deployments.js'
import type { Scope } from '../../store/scope.js'
import { notFound, Problem } from '../routing/problem.js'
import type { Services } from '../services.js'

export interface ServedBundle {
  readonly deployed: DeployedBundle
  readonly text: BundleText
}

/** A fleet asks for the same text all at once. */
const mostTexts = 64
const texts = new WeakMap<object, Map<string, Promise<BundleText | undefined>>>()

/** @throws Problem 404 when nothing is deployed, 409 when it cannot be written in the vocabulary of the client. */
export async function findCurrent(
  services: Services,
  { scope, name, kind }: { readonly scope: Scope; readonly name: string; readonly kind: BundleKind },
): Promise<ServedBundle> {
  const deployed = await services.store.deployments.findDeployed(scope, name)
  if (deployed === undefined) throw notFound('deployed bundle')
  const text = await readText(services, deployed.versionId, kind)
  if (text === undefined)
    throw new Problem(409, 'conflict', {
      detail: `version ${deployed.bundleVersion} cannot be served as a ${kind}`,
    })
  return { deployed, text }
}

function readText(services: Services, id: string, kind: BundleKind): Promise<BundleText | undefined> {
  const { bundles } = services.store
  const known = texts.get(bundles) ?? new Map<string, Promise<BundleText | undefined>>()
  texts.set(bundles, known)
  const name = `${id} ${kind}`
  const found = known.get(name)
  if (found !== undefined) return found
  const reading = bundles.readText(id, kind)
  if (known.size >= mostTexts) known.clear()
  known.set(name, reading)
  reading.catch(() => known.delete(name))
  return reading
}

/** What published clients read, in the words of both generations. */
export async function toPublished(
  services: Services,
  { scope, served, now }: { readonly scope: Scope; readonly served: ServedBundle; readonly now: number },
): Promise<object> {
  const { deployed, text } = served
  const bytes = Buffer.from(text.content)
  const [version, tenant, signatures, current] = await Promise.all([
    services.store.bundles.find(scope.tenant, deployed.bundleName, deployed.bundleVersion),
    services.store.tenants.find(scope.tenant),
    services.signer.sign(scope.tenant, bytes, now),
    toOwn(services, { scope, served, now }),
  ])
  if (version === undefined) throw notFound('bundle version')
  return {
    ...toVersion(version, tenant.publicId),
    revision_hash: text.revisionHash,
    ...signatureFields(signatures),
    yaml_bytes: bytes.toString('base64'),
    yaml: text.content,
    yaml_content: text.content,
    deployed_at: new Date(deployed.deployedAt).toISOString(),
    deployed_env: deployed.env,
    manifest: current.manifest,
    manifest_signatures: current.signatures,
  }
}

/** What our own client reads: the manifest is signed, and names the bytes by their hash. */
export async function toOwn(
  services: Services,
  { scope, served, now }: { readonly scope: Scope; readonly served: ServedBundle; readonly now: number },
): Promise<CurrentBundle> {
  const { deployed, text } = served
  const manifest: BundleManifest = {
    name: deployed.bundleName,
    version: deployed.bundleVersion,
    env: deployed.env,
    sequence: deployed.sequence,
    revision_hash: text.revisionHash,
    signed_at: new Date(deployed.deployedAt).toISOString(),
    keys: (await services.signer.publishedKeys(scope.tenant, now)).map(({ publicKey }) => publicKey),
  }
  const signatures = await services.signer.sign(scope.tenant, Buffer.from(canonicalJson(manifest)), now)
  return { manifest, yaml_bytes: Buffer.from(text.content).toString('base64'), signatures }
}

/** The active key's signature where published clients look for it, and those of all valid keys. */
function signatureFields(signatures: readonly BundleSignature[]): object {
  const [active] = signatures
  return {
    signature: active?.signature ?? null,
    signature_hex: active === undefined ? null : Buffer.from(active.signature, 'base64').toString('hex'),
    public_key: active?.public_key ?? null,
    signatures,
  }
}

export function toVersion(version: BundleVersion, tenantId: string): object {
  return {
    id: version.id,
    tenant_id: tenantId,
    name: version.name,
    version: version.version,
    kind: version.kind,
    revision_hash: version.revisionHash,
    source_hub_slug: null,
    source_hub_revision: null,
    uploaded_by: version.uploadedBy,
    created_at: new Date(version.createdAt).toISOString(),
    contract_count: version.contracts.length,
    contracts: version.contracts,
    served_as: version.translationHash === null ? [version.kind] : ['ContractBundle', 'Ruleset'],
  }
}
