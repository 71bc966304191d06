// Those who look at a call as a whole are told when it begins and when it is over.
import type { GuardedCall } from './guarded-call.js'
import { tell } from './notify.js'
import type { FollowedEnd } from './ports/audit-sink.js'

export function beginFollowing(call: GuardedCall): void {
  const { envelope, parts, state } = call
  if (parts.sink.follow === undefined) return
  tell('a sink that follows calls', () => {
    call.followers = parts.sink.follow?.({ envelope, policyVersion: state.policyVersion })
  })
}

export function endFollowing(call: GuardedCall, end: FollowedEnd): void {
  const { followers } = call
  if (followers === undefined) return
  call.followers = undefined
  tell('a sink that follows calls', () => followers(end))
}
