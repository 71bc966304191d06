// From a text to a stored version: checked as the guard of an agent would check it, before any agent sees it.
import { type BundleVersion, storeVersion } from '../../store/bundles.js'
import { recordAction } from '../../store/operator-log.js'
import { actorOf } from '../auth/actor.js'
import { changeOnce } from '../idempotency.js'
import type { Call, Caller } from '../routing/route.js'
import type { Services } from '../services.js'
import { bundleProblem } from './bundle-faults.js'
import type { ExaminedBundle } from './examine.js'

/** What every published client accepts. */
const mostBundleBytes = 524_288
export const identifierPattern = '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$'
const identifier = new RegExp(identifierPattern)
/** With `u` a pair is one character, so only half a pair is in this range. */
const loneSurrogate = /[\uD800-\uDFFF]/u

export interface Uploaded {
  readonly version: BundleVersion
  readonly isNew: boolean
}

/**
 * @param expectedName the name in the address, where there is one
 * @throws Problem 422 with every problem and its place
 */
export async function uploadBundle(
  services: Services,
  call: Call<unknown, unknown, Caller>,
  { text, expectedName }: { readonly text: string; readonly expectedName?: string },
): Promise<Uploaded> {
  const bundle = await examine(services, text)
  if (expectedName !== undefined && bundle.name !== expectedName)
    throw bundleProblem([
      {
        code: 'invalid-value',
        path: 'metadata.name',
        message: `the bundle is called \`${bundle.name}\`, the address says \`${expectedName}\``,
      },
    ])
  const { caller, now } = call
  return services.store.database.transaction((transaction) =>
    changeOnce(transaction, call, async () => {
      const uploaded = await storeVersion(transaction, {
        ...bundle,
        tenant: caller.tenant,
        content: text,
        uploadedBy: actorOf(caller),
        createdAt: now,
      })
      if (uploaded.isNew)
        await recordAction(transaction, {
          tenant: caller.tenant,
          at: now,
          actor: actorOf(caller),
          action: 'bundle.upload',
          subject: bundle.name,
          detail: { version: uploaded.version.version, revision_hash: bundle.revisionHash },
        })
      return uploaded
    }),
  )
}

async function examine(services: Services, text: string): Promise<ExaminedBundle> {
  refuseUnservable(text)
  const examination = await services.bundleWorkers.run('examine', { text })
  if (!examination.ok) throw bundleProblem(examination.diagnostics)
  const { bundle } = examination
  if (!identifier.test(bundle.name))
    throw bundleProblem([
      {
        code: 'invalid-value',
        path: 'metadata.name',
        message: `\`${bundle.name.slice(0, 200)}\` cannot be the name of a bundle`,
        expected:
          'letters, digits, dots, hyphens and underscores, at most 128, beginning with a letter or digit',
      },
    ])
  if (bundle.translation !== null && Buffer.byteLength(bundle.translation.content) > mostBundleBytes)
    return { ...bundle, translation: null }
  return bundle
}

/** The text is sent as bytes and as text, and both must come out the same. */
function refuseUnservable(text: string): void {
  if (Buffer.byteLength(text) > mostBundleBytes)
    throw bundleProblem([
      {
        code: 'bundle-too-large',
        message: `the bundle has ${Buffer.byteLength(text)} bytes; clients take at most ${mostBundleBytes}`,
        hint: 'split it into several bundles',
      },
    ])
  if (text.startsWith('\uFEFF') || loneSurrogate.test(text))
    throw bundleProblem([
      {
        code: 'bundle-not-utf8',
        message: text.startsWith('\uFEFF')
          ? 'the bundle begins with a byte order mark'
          : 'the bundle holds half a character',
        hint: 'save it as UTF-8 without a byte order mark',
      },
    ])
}
