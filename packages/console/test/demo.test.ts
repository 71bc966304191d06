// `npm run demo -- --console`: the demo with a real console beside it, from the first line to the end of both.
import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'

const demo = fileURLToPath(new URL('../../../examples/demo/demo.mjs', import.meta.url))
const patience = { timeout: 60_000, interval: 100 }

interface Running {
  readonly child: ChildProcess
  readonly said: () => string
  readonly ended: Promise<number | null>
}

const running: ChildProcess[] = []
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGTERM')
})

function start(): Running {
  const child = spawn(process.execPath, [demo, '--console'], { stdio: ['ignore', 'pipe', 'inherit'] })
  running.push(child)
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  return {
    child,
    said: () => output,
    ended: new Promise((done) => child.once('exit', (code) => done(code))),
  }
}

async function linkOf({ said }: Running): Promise<URL> {
  await expect.poll(said, patience).toMatch(/\S+\/login\/\S+\n/)
  return new URL(/\S+\/login\/\S+/.exec(said())?.[0] ?? '')
}

const isUp = async (origin: string): Promise<boolean> =>
  fetch(`${origin}/api/v1/health/ready`).then(
    ({ ok }) => ok,
    () => false,
  )

describe('the demo with its console', { timeout: 180_000 }, () => {
  it('asks there, takes the answer from there, and records there', async () => {
    const playing = start()
    const link = await linkOf(playing)
    const entered = await fetch(link, { method: 'POST', redirect: 'manual' })
    const headers = {
      Cookie: entered.headers.get('Set-Cookie')?.split(';')[0] ?? '',
      'Content-Type': 'application/json',
      'X-Requested-With': 'test',
    }
    const ask = async <Answer>(path: string, init: RequestInit = {}): Promise<Answer> =>
      (await fetch(`${link.origin}${path}`, { headers, ...init })).json() as Promise<Answer>

    let waiting: { id: string; tool_name: string }[] = []
    const look = async () => (waiting = await ask<typeof waiting>('/api/v1/approvals?status=pending'))
    await expect.poll(look, patience).toHaveLength(1)
    expect(waiting[0]).toMatchObject({ tool_name: 'refund' })
    await ask(`/api/v1/approvals/${waiting[0]?.id}`, {
      method: 'PUT',
      body: JSON.stringify({ approved: true, reason: 'fine' }),
    })

    await expect.poll(playing.said, patience).toContain('The console goes on')
    const { events } = await ask<{ events: { action: string }[] }>('/v1/events?agent_id=demo&limit=1000')
    const actions = events.map(({ action }) => action)
    expect(actions).toEqual(
      expect.arrayContaining(['call_blocked', 'call_approval_granted', 'call_executed']),
    )

    playing.child.kill('SIGINT')
    expect(await playing.ended).toBe(130)
    await expect.poll(() => isUp(link.origin), patience).toBe(false)
  })

  it('ends the console as well when it is told to end in the middle', async () => {
    const playing = start()
    const { origin } = await linkOf(playing)
    expect(await isUp(origin)).toBe(true)
    playing.child.kill('SIGTERM')
    expect(await playing.ended).toBe(143)
    await expect.poll(() => isUp(origin), patience).toBe(false)
  })
})
