// The files of the web page. Every address that belongs to no endpoint shows the page, which knows what to make of it.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { Context, Hono } from 'hono'
import type { Bindings } from './routing/route.js'
import { securityHeaders } from './security-headers.js'
import type { Services } from './services.js'

/** Written by the bundler; the same place seen from `src` and from `dist`. */
const folder = fileURLToPath(new URL('../../dist/ui', import.meta.url))

const contentTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** Addresses of programs: what is not there is an error and not a page. */
const programPaths = /^\/(api|v1|assets)\/|^\/metrics$|^\/openapi/

interface PageFile {
  readonly plain: Buffer<ArrayBuffer>
  readonly gzipped: Buffer<ArrayBuffer>
  readonly headers: Readonly<Record<string, string>>
}

export function serveWebPage(app: Hono<Bindings>, services: Services): void {
  const files = readFiles()
  const index = files.get('/index.html')
  if (index === undefined) services.log('info', 'the web page is not built, so there is none', { folder })
  app.get('*', (context, next) => {
    const file = files.get(context.req.path)
    if (file !== undefined) return send(context, file, services)
    if (index === undefined || programPaths.test(context.req.path)) return next()
    return send(context, index, services)
  })
}

function readFiles(): ReadonlyMap<string, PageFile> {
  if (!existsSync(folder)) return new Map()
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return new Map(
    names
      .filter((name) => contentTypes[extname(name)] !== undefined)
      .map((name) => [`/${name.replaceAll(sep, '/')}`, readPageFile(name)]),
  )
}

function readPageFile(name: string): PageFile {
  const plain = Buffer.from(readFileSync(join(folder, name)))
  // A name under assets/ holds a hash of the content; the rest may be another file tomorrow.
  const isNamedByContent = name.startsWith(`assets${sep}`)
  const headers = {
    'Content-Type': contentTypes[extname(name)] ?? 'application/octet-stream',
    'Cache-Control': isNamedByContent ? 'public, max-age=31536000, immutable' : 'no-cache',
    ETag: `"${createHash('sha256').update(plain).digest('base64url')}"`,
    Vary: 'Accept-Encoding',
  }
  return { plain, gzipped: Buffer.from(gzipSync(plain)), headers }
}

function send(context: Context<Bindings>, file: PageFile, services: Services): Response {
  const headers = { ...securityHeaders(services.baseUrl), ...file.headers }
  if (context.req.header('If-None-Match') === file.headers['ETag'])
    return new Response(null, { status: 304, headers })
  const takesGzip = /\bgzip\b/.test(context.req.header('Accept-Encoding') ?? '')
  return takesGzip
    ? new Response(file.gzipped, { headers: { ...headers, 'Content-Encoding': 'gzip' } })
    : new Response(file.plain, { headers })
}
