// A POST to an address people typed in. The name is resolved once, the address is checked, and the connection goes to that
// very address: a name that answers differently the second time reaches nothing inside.
import { lookup } from 'node:dns/promises'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { BlockList, isIP } from 'node:net'

export class UnsafeAddress extends Error {
  override readonly name = 'UnsafeAddress'
}

export interface SafePost {
  readonly url: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  /** Hosts that may be inside, as whoever runs the server says. */
  readonly allowedHosts: readonly string[]
  readonly signal: AbortSignal
}

const answerMs = 10_000
const mostAnswerBytes = 4_096

const inside = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  inside.addSubnet(network, prefix, 'ipv4')
for (const [network, prefix] of [
  ['::', 127],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const)
  inside.addSubnet(network, prefix, 'ipv6')

/** Whether an address is one that only this machine or its network reaches. */
export function isInside(address: string): boolean {
  // An IPv4 address in IPv6 clothes is judged as what it is.
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? []
  if (mapped !== undefined) return isInside(mapped)
  if (/^::ffff:/i.test(address)) return true
  const family = isIP(address)
  return family === 0 || inside.check(address, family === 4 ? 'ipv4' : 'ipv6')
}

/** @throws UnsafeAddress for an address that is none, or not for us to call. */
export function checkUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new UnsafeAddress('not an http or https address')
  if (url.username !== '' || url.password !== '')
    throw new UnsafeAddress('an address must not hold a password')
  return url
}

/** @throws UnsafeAddress when the host is inside and not allowed. */
export async function findAddress(
  url: URL,
  allowedHosts: readonly string[],
): Promise<{ readonly address: string; readonly family: number }> {
  const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase()
  const addresses = await lookup(host, { all: true })
  const isAllowed = allowedHosts.some((allowed) =>
    [host, url.host.toLowerCase()].includes(allowed.toLowerCase()),
  )
  if (!isAllowed && addresses.some(({ address }) => isInside(address)))
    throw new UnsafeAddress(`${host} is inside this network; allow it with --webhook-hosts`)
  const [first] = addresses
  if (first === undefined) throw new UnsafeAddress(`${host} has no address`)
  return first
}

/** The status of the answer and the beginning of what it says. Redirects are not followed. */
export async function postSafely(
  post: SafePost,
): Promise<{ readonly status: number; readonly text: string }> {
  const url = checkUrl(post.url)
  const { address, family } = await findAddress(url, post.allowedHosts)
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    const request = send(
      url,
      {
        method: 'POST',
        agent: false,
        signal: AbortSignal.any([AbortSignal.timeout(answerMs), post.signal]),
        headers: {
          'Content-Type': 'application/json',
          'Content-Length': Buffer.byteLength(post.body),
          ...post.headers,
        },
        lookup: (_host, options, callback) => {
          if (options.all === true) callback(null, [{ address, family }])
          else callback(null, address, family)
        },
      },
      (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => {
          text += chunk
          if (text.length > mostAnswerBytes) response.destroy()
        })
        response.on('error', () => undefined)
        response.on('close', () => resolve({ status: response.statusCode ?? 0, text: text.slice(0, 200) }))
      },
    )
    request.on('error', reject)
    request.end(post.body)
  })
}
