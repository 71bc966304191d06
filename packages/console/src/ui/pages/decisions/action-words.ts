// What happened to a call, in words for people.
import type { Tone } from '../../parts/badge.js'

const words: Readonly<Record<string, readonly [string, Tone]>> = {
  call_allowed: ['Allowed', 'good'],
  call_denied: ['Denied', 'bad'],
  call_would_deny: ['Would be denied', 'open'],
  call_executed: ['Executed', 'good'],
  call_failed: ['Failed', 'bad'],
  call_approval_requested: ['Asked', 'open'],
  call_approval_granted: ['Approved', 'good'],
  call_approval_denied: ['Refused', 'bad'],
  call_approval_timeout: ['Nobody decided', 'bad'],
  postcondition_warning: ['Warning', 'open'],
  late_result_discarded: ['Late result discarded', 'dull'],
}

export const knownActions = Object.keys(words)

/** An action that is not known is shown as it came. */
export function actionName(action: string): string {
  return Object.hasOwn(words, action) ? (words[action]?.[0] ?? action) : action
}

export function actionTone(action: string): Tone {
  return Object.hasOwn(words, action) ? (words[action]?.[1] ?? 'dull') : 'dull'
}
