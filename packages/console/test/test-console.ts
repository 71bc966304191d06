// A console as users have it: started from nothing, spoken to over HTTP.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RunningConsole, startConsole } from '../src/server/start/start-console.js'
import type { ConsoleOptions } from '../src/server/start/options.js'

export interface Reply {
  readonly status: number
  readonly headers: Headers
  // oxlint-disable-next-line typescript/no-explicit-any -- the tests say what they expect of it
  readonly body: any
}

export interface Asking {
  readonly method?: string
  readonly key?: string | null
  readonly cookie?: string
  readonly body?: unknown
  readonly headers?: Record<string, string>
  /** Sent as it is. */
  readonly raw?: string | Uint8Array<ArrayBuffer>
}

export interface TestConsole {
  readonly url: string
  readonly folder: string
  /** The key of the first start. */
  readonly key: string
  readonly running: RunningConsole
  /** What was logged as an error: nothing, in a good test. */
  readonly errors: readonly string[]
  readonly ask: (path: string, asking?: Asking) => Promise<Reply>
  /** A cookie of the first administrator. */
  readonly logIn: () => Promise<string>
  readonly makeKey: (key: Record<string, unknown>) => Promise<{ id: string; key: string; prefix: string }>
  /** A cookie of a new user with this role. */
  readonly logInAs: (role: string) => Promise<string>
  readonly stop: () => Promise<void>
}

export interface TestOptions extends Partial<ConsoleOptions> {
  readonly now?: () => number
}

export async function startTestConsole({ now, ...options }: TestOptions = {}): Promise<TestConsole> {
  const folder = options.dataFolder ?? mkdtempSync(join(tmpdir(), 'edictum-console-'))
  const errors: string[] = []
  const running = await startConsole(
    {
      host: '127.0.0.1',
      port: 0,
      dataFolder: folder,
      environment: 'production',
      trustedProxies: [],
      collapseApprovalsSeconds: 0,
      loginLink: 'when-needed',
      ...options,
    },
    {
      log: (level, message, fields) => {
        if (level === 'error') errors.push(`${message} ${JSON.stringify(fields)}`)
      },
      ...(now === undefined ? {} : { now }),
    },
  )
  const { url, welcome } = running
  const key = welcome.apiKey ?? ''

  async function ask(path: string, asking: Asking = {}): Promise<Reply> {
    const credential = asking.key === undefined && asking.cookie === undefined ? key : asking.key
    const response = await fetch(url + path, {
      method: asking.method ?? (asking.body === undefined && asking.raw === undefined ? 'GET' : 'POST'),
      redirect: 'manual',
      headers: {
        ...(credential === undefined || credential === null ? {} : { Authorization: `Bearer ${credential}` }),
        ...(asking.cookie === undefined ? {} : { Cookie: asking.cookie, 'X-Requested-With': 'test' }),
        ...(asking.body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...asking.headers,
      },
      ...(asking.raw !== undefined
        ? { body: asking.raw }
        : asking.body !== undefined
          ? { body: JSON.stringify(asking.body) }
          : {}),
    })
    const text = await response.text()
    const isJson = response.headers.get('Content-Type')?.includes('json') === true
    return {
      status: response.status,
      headers: response.headers,
      body: isJson ? (JSON.parse(text) as unknown) : text,
    }
  }

  async function useLink(link: string): Promise<string> {
    const reply = await ask(new URL(link).pathname, { method: 'POST', key: null })
    const cookie = reply.headers.get('Set-Cookie')?.split(';')[0]
    if (cookie === undefined) throw new Error(`no cookie: ${reply.status} ${JSON.stringify(reply.body)}`)
    return cookie
  }

  let admin: Promise<string> | undefined
  const logIn = () => (admin ??= useLink(welcome.loginLink ?? ''))

  return {
    url,
    folder,
    key,
    running,
    errors,
    ask,
    logIn,
    makeKey: async (wanted) => {
      const reply = await ask('/api/v1/keys', { cookie: await logIn(), body: wanted })
      if (reply.status !== 201) throw new Error(JSON.stringify(reply.body))
      return reply.body
    },
    logInAs: async (role) => {
      const email = `${role}-${Math.random().toString(36).slice(2)}@example.com`
      const reply = await ask('/api/v1/users', { cookie: await logIn(), body: { email, role } })
      return useLink(reply.body.login_link)
    },
    stop: async () => {
      await running.stop()
      if (options.dataFolder === undefined) rmSync(folder, { recursive: true, force: true })
    },
  }
}
