// The authority of a URL as the one host every parser agrees on, or not at all.
import { canonicalAddress, isInternalAddress } from './addresses.js'

/** A host, or text that names one in a way that different programs read differently. */
export type HostFact =
  | { readonly kind: 'host'; readonly name: string; readonly reach: 'public' | 'internal' }
  | { readonly kind: 'unclear'; readonly text: string }

/** Names every machine, or every machine in a cloud, gives to itself or its neighbours. */
const internalNames: ReadonlySet<string> = new Set([
  'ip6-localhost',
  'ip6-loopback',
  'metadata',
  'instance-data',
  'metadata.google.internal',
  'instance-data.ec2.internal',
  'host.docker.internal',
  'gateway.docker.internal',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
])
const internalEnding =
  /(?:^|\.)(?:localhost(?:[46]|\.localdomain[46]?)?|localtest\.me|lvh\.me|nip\.io|sslip\.io|xip\.io)$/

/** Letters that versions of the rules for international names map to different names, and look-alikes of a slash. */
const disputedLetters = /[\u00df\u03c2\u200b-\u200d\u1e9e\u2044\u2215\u29f8]/

/**
 * @param rest what follows `scheme://`, or the whole text when there is no scheme
 */
export function readHost(rest: string): HostFact {
  const unclear: HostFact = { kind: 'unclear', text: rest.slice(0, 200) }
  const end = /[/?#]/.exec(rest)
  const authority = end === null ? rest : rest.slice(0, end.index)
  // oxlint-disable-next-line no-control-regex -- control characters are what this refuses
  if (authority === '' || /[\u0000-\u0020\u007f-\u00a0\\"'`^|<>{}%$]/.test(hostPart(authority)))
    return unclear
  if (disputedLetters.test(authority) || !hasCleanUser(authority)) return unclear
  // Older parsers take `#@` and `?@` for the end of a user name.
  if (end !== null && end[0] !== '/' && /^[^/]*@/.test(rest.slice(end.index))) return unclear
  // Some parsers take a backslash before the query for a slash, others for part of the user name.
  if (/^[^?#]*\\/.test(rest)) return unclear
  return parseAuthority(authority) ?? unclear
}

function hostPart(authority: string): string {
  return authority.slice(authority.lastIndexOf('@') + 1)
}

function hasCleanUser(authority: string): boolean {
  const at = authority.lastIndexOf('@')
  return at === -1 || /^[\w.~!$&'()*+,;=:%-]*$/.test(authority.slice(0, at))
}

/** A name that every parser leaves as it is but for its case. */
const plainName = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/i

/** A whole URL with such a name, and nothing in it that a parser could take for anything but its path. */
const plainUrl =
  /^(?:https?|wss?|ftp):\/\/((?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63})(?:\/[\w./~-]*)?$/i

/** The host of a URL of the most usual kind, without looking at it from every side. */
export function hostOfPlainUrl(text: string): string | undefined {
  return plainUrl.exec(text)?.[1]
}

/** @param name one that ends in letters, so that it is no address; undefined when it is a name of another script */
export function plainHost(name: string): HostFact | undefined {
  const lower = name.toLowerCase()
  return lower.includes('xn--') ? undefined : { kind: 'host', name: lower, reach: reachOf(lower) }
}

function reachOf(name: string): 'public' | 'internal' {
  return internalNames.has(name) || internalEnding.test(name) ? 'internal' : 'public'
}

function parseAuthority(authority: string): HostFact | undefined {
  const host = hostPart(authority)
  const plain = plainName.test(host) ? plainHost(host) : undefined
  if (plain !== undefined) return plain
  // A leading zero is octal to some programs and decimal to others.
  if (/^[\d.xa-f]+$/i.test(host) && /(?:^|\.)0\d/.test(host)) return undefined
  const parsed = parseUrl(`https://${host}/`)
  if (parsed === undefined || parsed.username !== '' || parsed.pathname !== '/') return undefined
  return classifyHost(parsed.hostname)
}

function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}

function classifyHost(hostname: string): HostFact | undefined {
  const name = hostname
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.+$/, '')
    .toLowerCase()
  const address = canonicalAddress(name)
  if (address !== undefined) {
    return { kind: 'host', name: address, reach: isInternalAddress(address) ? 'internal' : 'public' }
  }
  if (!/^[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?$/.test(name) || name.includes('..')) return undefined
  return { kind: 'host', name, reach: reachOf(name) }
}
