// The hosts of a call: of every URL in every text, of arguments that name one, of network programs in its commands.
import { compileGlob, isGlob, type GlobMatcher } from '../tool-glob.js'
import type { ArgumentText } from './argument-texts.js'
import { withPlainPatterns } from './command-word.js'
import type { SimpleCommand } from './commands/command-line.js'
import { canonicalAddress } from './addresses.js'
import { hostOfPlainUrl, plainHost, readHost, type HostFact } from './host-name.js'
import { distinctWords } from './distinct-words.js'
import { hostsOf } from './network-programs.js'

export type { HostFact } from './host-name.js'

export interface HostRules {
  readonly allowed: readonly HostMatcher[] | undefined
  readonly denied: readonly HostMatcher[]
}

type HostMatcher = (host: string, reach: 'public' | 'internal') => boolean

export function compileHostRules(
  allowed: readonly string[] | undefined,
  denied: readonly string[] | undefined,
): HostRules | undefined {
  if (allowed === undefined && denied === undefined) return undefined
  return {
    allowed: allowed?.map((pattern) => compileHostPattern(pattern, 'named')),
    denied: (denied ?? []).map((pattern) => compileHostPattern(pattern, 'any')),
  }
}

/** A glob that permits hosts is about public names: what is only reachable from inside must be listed literally. */
function compileHostPattern(written: string, globsMatch: 'named' | 'any'): HostMatcher {
  if (isGlob(written) && !/^\[[0-9a-f:.]*\]$/i.test(written)) {
    const matches: GlobMatcher = compileGlob(written.toLowerCase())
    return (host, reach) => (globsMatch === 'any' || reach === 'public') && matches(host)
  }
  const fact = readHost(written)
  const name =
    fact.kind === 'host' ? fact.name : (canonicalAddress(written.toLowerCase()) ?? written.toLowerCase())
  return (host) => host === name
}

export function isHostOutside(facts: readonly HostFact[], { allowed, denied }: HostRules): boolean {
  return facts.some((fact) => {
    if (fact.kind === 'unclear') return true
    const matches = (matcher: HostMatcher) => matcher(fact.name, fact.reach)
    return denied.some(matches) || (allowed !== undefined && !allowed.some(matches))
  })
}

/** @param words every word of the commands, quotes removed */
export function collectHosts(
  texts: readonly ArgumentText[],
  commands: readonly SimpleCommand[],
  words: readonly string[],
): readonly HostFact[] {
  const hosts = new HostCollector()
  for (const { text, role } of texts) {
    if (role === 'command') {
      // The words of a command say the same without the quotes, but an assignment only shows its value there.
      hosts.addProxies(text)
      // Nor do the words hold the text of a here-document.
      if (text.includes('<<')) hosts.addText(text)
      continue
    }
    hosts.addText(text)
    if (role === 'host' || role === 'link') hosts.addHostArgument(text, role)
  }
  for (const word of distinctWords(words)) hosts.addWord(word)
  for (const command of commands) {
    const named = hostsOf(command)
    for (const host of named.hosts) hosts.addHost(host)
    if (named.isHidden) hosts.addUnclear(command.name)
  }
  return hosts.facts
}

const mostUrls = 10_000

class HostCollector {
  readonly facts: HostFact[] = []
  readonly #seen = new Set<string>()

  addHost(rest: string): void {
    const authority = /^[^/?#]*/.exec(rest)?.[0] ?? ''
    const key = authority === rest || rest[authority.length] === '/' ? authority : rest
    // A backslash further on matters too, so only plain paths share what was seen.
    if (!rest.includes('\\')) {
      if (this.#seen.has(key)) return
      this.#seen.add(key)
    }
    if (this.facts.length >= mostUrls) this.facts.push({ kind: 'unclear', text: 'too many URLs' })
    else this.facts.push(readHost(rest))
  }

  addUnclear(text: string): void {
    this.facts.push({ kind: 'unclear', text: text.slice(0, 200) })
  }

  /** Every URL in the text; a URL inside the path or query of another one is data of that one. */
  addText(text: string): void {
    if (!text.includes(':') || this.#addPlainUrl(text)) return
    for (const part of text.split(separators)) this.#addToken(part)
    this.#addWhole(text)
  }

  /** A variable that sends everything through another host; one with a scheme is found as a URL. */
  addProxies(line: string): void {
    if (!line.includes('_')) return
    for (const proxy of line.matchAll(/\b(?:https?|ftp|all|socks)_proxy=([^\s;&|]*)/gi)) {
      const value = (proxy[1] ?? '').replaceAll(/["']/g, '')
      if (value !== '' && !value.includes('://')) this.addHost(value)
    }
  }

  /** A word of a command: a URL, or a socket of the shell. */
  addWord(written: string): void {
    const word = withPlainPatterns(written)
    this.addText(word)
    this.addProxies(word)
    if (!word.includes('/dev/')) return
    const socket = /\/dev\/(?:tcp|udp)\/([^/]*)/.exec(word)
    if (socket !== null) this.addHost(socket[1] ?? '')
  }

  /** An argument that is there to name a host: without a scheme it is read as if it had one. */
  addHostArgument(written: string, role: 'host' | 'link'): void {
    if (/[\r\n]/.test(written)) {
      for (const line of written.split(/[\r\n]+/)) this.addHostArgument(line, role)
      return
    }
    const text = written.trim()
    if (text === '' || text.includes('://') || specialScheme.test(removeVanishing(text))) return
    if (/^[/\\]{2}/.test(text)) this.addHost(text.slice(2))
    else if (/^[./?#]/.test(text)) return
    else if (/^[a-z][a-z0-9+.-]*:(?!\d+(?:[/?#]|$))/i.test(text)) {
      // `data:`, `javascript:`, `file:`: a URL that names no host cannot be on a list of hosts.
      if (role === 'host') this.addUnclear(text)
    } else if (/\s/.test(text)) {
      for (const part of text.split(/[\s,]+/)) if (looksLikeHost(part)) this.addHost(part)
    } else if (role === 'host') {
      for (const part of text.split(',')) if (part !== '') this.addHost(part)
    } else if (looksLikeHost(text)) this.addHost(text)
  }

  #addPlainUrl(text: string): boolean {
    const name = hostOfPlainUrl(text)
    const host = name === undefined || this.facts.length >= mostUrls ? undefined : plainHost(name)
    if (name === undefined || host === undefined) return false
    if (!this.#seen.has(name)) {
      this.#seen.add(name)
      this.facts.push(host)
    }
    return true
  }

  #addToken(token: string): void {
    let start = nextUrl(token, 0)
    while (start !== undefined) {
      const { scheme, rest } = start
      const inner = splitList(token, rest)
      this.#addUrl(
        scheme,
        inner === undefined ? withoutPunctuation(token.slice(rest)) : token.slice(rest, inner - 1),
      )
      start = inner === undefined ? undefined : nextUrl(token, inner)
    }
  }

  #addUrl(scheme: string, rest: string): void {
    if (/^file$/i.test(scheme)) this.addUnclear(`${scheme}://${rest}`)
    else this.addHost(rest)
  }

  /** Parsers drop line ends and tabs anywhere, and accept `https:host` and `https:\\host`. */
  #addWhole(text: string): void {
    const url = removeVanishing(text)
    const scheme = specialScheme.exec(url)
    if (scheme === null) return
    if (/\s/.test(url)) {
      // A sentence that starts with a URL; but a blank may also stand in a user name, and then the host comes later.
      const host = hostOfUrl(url)
      if (host !== undefined) this.addHost(host)
      return
    }
    const rest = url.slice(scheme[0].length)
    if (url === text && rest.startsWith('//') && !/^\/\/[/\\]/.test(rest)) return
    if (/^\/\/[^/\\]/.test(rest)) this.addHost(rest.slice(2))
    // Browsers and Node read a host here, stricter parsers do not.
    else this.addUnclear(url)
  }
}

const longestHost = 300

/** What a sentence puts behind a URL. */
function withoutPunctuation(rest: string): string {
  if (rest.length > longestHost) return rest
  return /^[^/?#@]*[).,;:!\]}*]$/.test(rest) && !rest.includes('[')
    ? rest.replace(/[).,;:!\]}*]+$/, '')
    : rest
}

const separators = /[\s"'`<>]+/
const specialScheme = /^(?:https?|wss?|ftp):/i

function hostOfUrl(text: string): string | undefined {
  try {
    return new URL(text).hostname
  } catch {
    return undefined
  }
}

/** What URL parsers remove: blanks around, line ends and tabs anywhere. */
function removeVanishing(text: string): string {
  const inner = text.replaceAll(/[\t\r\n]/g, '')
  let start = 0
  let end = inner.length
  while (start < end && inner.charCodeAt(start) <= 0x20) start++
  while (end > start && inner.charCodeAt(end - 1) <= 0x20) end--
  return inner.slice(start, end)
}

function nextUrl(
  token: string,
  from: number,
): { readonly scheme: string; readonly rest: number } | undefined {
  const sign = /:(?:\/\/|\\\\|\/\\|\\\/)/g
  sign.lastIndex = from
  for (let found = sign.exec(token); found !== null; found = sign.exec(token)) {
    const scheme = /[a-z][a-z0-9+.-]*$/i.exec(token.slice(Math.max(from, found.index - 64), found.index))
    if (scheme !== null) return { scheme: scheme[0], rest: sign.lastIndex }
    sign.lastIndex = found.index + 1
  }
  return undefined
}

/** Where the next URL of a list starts: after a comma, semicolon or bar, and before any query. */
function splitList(token: string, from: number): number | undefined {
  const sign = /[?#]|[,;|](?=[a-z][a-z0-9+.-]{0,64}:(?:\/\/|\\))/gi
  sign.lastIndex = from
  const found = sign.exec(token)
  return found === null || found[0] === '?' || found[0] === '#' ? undefined : sign.lastIndex
}

function looksLikeHost(text: string): boolean {
  return /^(?:[^/?#\s@]+@)?(?:localhost|\[[0-9a-f:.]+\]|[^/?#\s:]+\.[^/?#\s:.]+\.?|0x[0-9a-f]+|\d{8,})(?::\d+)?(?:[/?#]|$)/i.test(
    text,
  )
}
