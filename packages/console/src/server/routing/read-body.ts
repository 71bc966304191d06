// The body of a request, bounded before and after decompression, whatever the client claims about it.
import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { BodyClaim } from './body-room.js'
import { Problem } from './problem.js'

const inflate = promisify(gunzip)

export interface BodyLimits {
  /** Bytes, before and after decompression. */
  readonly limit: number
  readonly room: BodyClaim
}

/** @throws Problem 413 above the limit, 415 for an encoding that is not known. */
export async function readBody(incoming: IncomingMessage, limits: BodyLimits): Promise<Uint8Array> {
  const encoding = incoming.headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  if (encoding !== 'identity' && encoding !== 'gzip')
    throw new Problem(415, 'unsupported-encoding', {
      detail: `content encoding ${encoding} is not supported`,
    })
  const received = await readBytes(incoming, limits)
  const bytes = encoding === 'gzip' ? await decompress(received, limits.limit) : received
  limits.room.claim(received.length + bytes.length)
  return bytes
}

/**
 * @returns undefined for no bytes at all
 * @throws Problem 400 for what is no JSON text
 */
export function parseJson(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return undefined
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown
  } catch {
    throw new Problem(400, 'invalid-json', { detail: 'the body is not JSON in UTF-8' })
  }
}

function readBytes(incoming: IncomingMessage, { limit, room }: BodyLimits): Promise<Buffer> {
  if (Number(incoming.headers['content-length'] ?? 0) > limit) {
    return Promise.reject(tooLarge(limit))
  }
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.length
      try {
        if (size > limit) throw tooLarge(limit)
        room.claim(size)
        chunks.push(chunk)
      } catch (error) {
        incoming.removeAllListeners('data')
        reject(error as Error)
      }
    })
    incoming.on('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)))
    incoming.on('error', reject)
    incoming.on('aborted', () => reject(new Error('the client went away')))
  })
}

async function decompress(bytes: Buffer, limit: number): Promise<Buffer> {
  try {
    return await inflate(bytes, { maxOutputLength: limit })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limit)
    throw new Problem(400, 'invalid-json', { detail: 'the body is not gzip' })
  }
}

function tooLarge(limit: number): Problem {
  // What is still on its way is not read; the connection cannot be used again.
  const headers = { Connection: 'close' }
  return new Problem(413, 'body-too-large', { detail: `the body may have ${limit} bytes`, headers })
}
