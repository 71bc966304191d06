// A server that hands out bundles over the protocol and can be made to lie: what a console never does, a thief of its address
// might.
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { canonicalJson } from '../../src/internal/canonical-json.js'
import type {
  BundleAcknowledgement,
  BundleManifest,
  BundleNotice,
  CurrentBundle,
} from '../../src/server/protocol/bundles.js'

export interface SigningKey {
  readonly publicKey: string
  readonly privateKey: KeyObject
}

export function newSigningKey(): SigningKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const { x } = publicKey.export({ format: 'jwk' })
  return { publicKey: Buffer.from(String(x), 'base64url').toString('hex'), privateKey }
}

export function bundleText(name: string, message: string): string {
  return `
apiVersion: edictum/v1
kind: ContractBundle
metadata: { name: ${name} }
defaults: { mode: enforce }
contracts:
  - id: no-deletes
    type: pre
    tool: delete_record
    when: { args.id: { exists: true } }
    then: { effect: deny, message: '${message}' }
`
}

export function signedBundle(
  text: string,
  keys: readonly SigningKey[],
  fields: Partial<BundleManifest> = {},
): CurrentBundle {
  const manifest: BundleManifest = {
    name: 'agents',
    version: 1,
    env: 'production',
    sequence: 1,
    revision_hash: createHash('sha256').update(text).digest('hex'),
    signed_at: '2026-03-01T12:00:00.000Z',
    ...fields,
  }
  const bytes = Buffer.from(canonicalJson(manifest))
  return {
    manifest,
    yaml_bytes: Buffer.from(text).toString('base64'),
    signatures: keys.map(({ publicKey, privateKey }) => ({
      public_key: publicKey,
      signature: sign(null, bytes, privateKey).toString('base64'),
    })),
  }
}

export interface BundleServer {
  readonly url: string
  readonly acknowledged: BundleAcknowledgement[]
  /** Addresses of streams, as they were opened. */
  readonly streams: string[]
  /** What is handed out under this name from now on, whatever it is. */
  readonly serve: (name: string, bundle: unknown) => void
  readonly remove: (name: string) => void
  /** Told to every stream that is open, and to those that open later. */
  readonly tell: (notice: BundleNotice) => void
  /** Written to every stream as it is. */
  readonly write: (text: string) => void
  /** Ends or cuts all streams. */
  readonly endStreams: (how: 'politely' | 'abruptly') => void
  /** Every request gets this status from now on; undefined for answers again. */
  readonly refuse: (status: number | undefined) => void
  readonly stop: () => Promise<void>
}

export async function startBundleServer(port = 0): Promise<BundleServer> {
  const bundles = new Map<string, unknown>()
  const open = new Set<ServerResponse>()
  const acknowledged: BundleAcknowledgement[] = []
  const streams: string[] = []
  let notice: BundleNotice | undefined
  let refusal: number | undefined
  const frame = (told: BundleNotice): string => `event: bundle_updated\ndata: ${JSON.stringify(told)}\n\n`

  const answer = (response: ServerResponse, status: number, body: object): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const { url = '', method } = request
    const name = /\/bundles\/([^/]+)\/current$/.exec(url)?.[1]
    if (refusal !== undefined) {
      answer(response, refusal, { detail: 'no', code: refusal === 401 ? 'unauthenticated' : 'overloaded' })
    } else if (name !== undefined) {
      const bundle = bundles.get(decodeURIComponent(name))
      if (bundle === undefined) answer(response, 404, { detail: 'nothing is deployed', code: 'not-found' })
      else answer(response, 200, bundle as object)
    } else if (url.includes('/stream')) {
      streams.push(url)
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(': hello\n\n')
      open.add(response)
      response.on('close', () => open.delete(response))
      if (notice !== undefined) response.write(frame(notice))
    } else if (method === 'POST') {
      let text = ''
      request.on('data', (chunk: Buffer) => (text += chunk.toString()))
      request.on('end', () => {
        acknowledged.push(JSON.parse(text) as BundleAcknowledgement)
        answer(response, 200, {})
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    acknowledged,
    streams,
    serve: (name, bundle) => void bundles.set(name, bundle),
    remove: (name) => void bundles.delete(name),
    tell: (told) => {
      notice = told
      for (const response of open) response.write(frame(told))
    },
    write: (text) => {
      for (const response of open) response.write(text)
    },
    endStreams: (how) => {
      for (const response of open) {
        if (how === 'politely') response.end()
        else response.destroy()
      }
    },
    refuse: (status) => {
      refusal = status
    },
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
