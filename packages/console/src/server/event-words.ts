// The two vocabularies for what happened to a call. Stored in the words of the contract language.

const ourWords: Readonly<Record<string, string>> = {
  call_blocked: 'call_denied',
  call_would_block: 'call_would_deny',
  call_asked: 'call_approval_requested',
  call_approval_blocked: 'call_approval_denied',
  // The programs that check commands on developers' machines write these.
  allow: 'call_allowed',
  allowed: 'call_allowed',
  deny: 'call_denied',
  denied: 'call_denied',
  block: 'call_denied',
  blocked: 'call_denied',
  ask: 'call_approval_requested',
}

const laterWords: Readonly<Record<string, string>> = {
  call_denied: 'call_blocked',
  call_would_deny: 'call_would_block',
  call_approval_requested: 'call_asked',
  call_approval_denied: 'call_approval_blocked',
}

export function toOurAction(word: string): string {
  return Object.hasOwn(ourWords, word) ? (ourWords[word] as string) : word
}

export function toLaterAction(word: string): string {
  return Object.hasOwn(laterWords, word) ? (laterWords[word] as string) : word
}
