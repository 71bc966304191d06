import type { Caller } from '../routing/route.js'

/** Who did something, as the operator log writes it. */
export function actorOf(caller: Caller): string {
  return caller.kind === 'key' ? `key:${caller.key.prefix}` : caller.user.email
}
