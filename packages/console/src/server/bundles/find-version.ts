import type { BundleVersion } from '../../store/bundles.js'
import { notFound, Problem } from '../routing/problem.js'
import type { Caller } from '../routing/route.js'
import type { Services } from '../services.js'

/** @throws Problem 404 also for a version that a key of another environment may not know of. */
export async function findVersion(
  services: Services,
  caller: Caller,
  wanted: { readonly name: string | undefined; readonly version: string | undefined },
): Promise<BundleVersion> {
  const { name = '', version: text = '' } = wanted
  const number = /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined
  const version =
    number === undefined ? undefined : await services.store.bundles.find(caller.tenant, name, number)
  if (version === undefined) throw notFound('bundle version')
  if (caller.kind === 'key' && !seesEverything(caller)) {
    const { env } = caller.key
    const deployed = await services.store.deployments.findDeployed({ tenant: caller.tenant, env }, name)
    if (deployed?.bundleVersion !== version.version) throw notFound('bundle version')
  }
  return version
}

/** Keys that publish see what is not deployed yet; the keys of agents only what is meant for them. */
export function seesEverything(caller: Caller): boolean {
  return caller.kind === 'user' || caller.key.scopes.includes('publish')
}

/** @throws Problem 403 when a key asks for another environment than its own. */
export function requireOwnEnvironment(caller: Caller, env: string): void {
  if (caller.kind === 'key' && caller.key.env !== env)
    throw new Problem(403, 'wrong-environment', {
      detail: `this key is for the environment ${caller.key.env}, not ${env}`,
    })
}
