// People are told about approvals: signed, again until it arrives, and never through an address that leads inside.
import { createHmac } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { isInside } from '../src/server/notifications/safe-post.js'
import { describeOnBothStores } from './dialects.js'

interface Received {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

describeOnBothStores(
  'notifications',
  (consoleOf) => {
    let cookie: string
    let receiver: Server
    let url: string
    const received: Received[] = []
    /** What the receiver answers, in order; then 200. */
    const answers: number[] = []

    beforeAll(async () => {
      cookie = await consoleOf().logIn()
      receiver = createServer((request, response) => {
        let text = ''
        request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        request.on('end', () => {
          received.push({ headers: request.headers, text })
          response.writeHead(answers.shift() ?? 200, { Location: 'http://127.0.0.1:1/' }).end('heard')
        })
      })
      await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
      url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
    })
    afterAll(() => receiver.close())
    afterEach(async () => {
      for (const { id } of (await ask('/api/v1/notifications/channels')).body)
        await ask(`/api/v1/notifications/channels/${id}`, undefined, 'DELETE')
      received.length = 0
      answers.length = 0
    })

    const ask = (path: string, body?: unknown, method?: string) =>
      consoleOf().ask(path, {
        cookie,
        ...(body === undefined ? {} : { body }),
        ...(method === undefined ? {} : { method }),
      })
    const addChannel = (more: object = {}) =>
      ask('/api/v1/notifications/channels', {
        name: 'hook',
        channel_type: 'webhook',
        config: { url },
        ...more,
      })
    const createApproval = async (agent = 'asking') =>
      (
        await consoleOf().ask('/api/v1/approvals', {
          body: {
            agent_id: agent,
            tool_name: 'pay',
            tool_args: { sum: 1 },
            message: 'pay <now>?',
            timeout: 60,
          },
          headers: { 'X-Edictum-Agent-Id': agent },
        })
      ).body.id as string
    const deliveriesOf = async (id: string) =>
      (await ask(`/api/v1/notifications/channels/${id}/deliveries`)).body.deliveries

    it('arrive once, signed with the time, when an approval is asked for and when it is decided', async () => {
      const { body } = await addChannel()
      expect(body).toMatchObject({ channel_type: 'webhook', enabled: true, secret: expect.any(String) })
      const id = await createApproval()
      await expect.poll(() => received.length).toBe(1)
      const [{ headers, text }] = received as [Received]
      const [, time, signature] =
        /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['x-edictum-signature'])) ?? []
      expect(createHmac('sha256', body.secret).update(`${time}.${text}`).digest('hex')).toBe(signature)
      expect(Math.abs(Number(time) - Date.now() / 1_000)).toBeLessThan(60)
      expect(JSON.parse(text)).toMatchObject({
        event: 'approval_requested',
        approval_id: id,
        agent_id: 'asking',
        tool_name: 'pay',
        tool_args: { sum: 1 },
        env: 'production',
      })
      await ask(`/api/v1/approvals/${id}`, { approved: true }, 'PUT')
      await expect.poll(() => received.length).toBe(2)
      expect(JSON.parse(received[1]!.text)).toMatchObject({ event: 'approval_decided', status: 'approved' })
      await expect
        .poll(() => deliveriesOf(body.id))
        .toMatchObject([
          { event: 'approval_decided', status: 'delivered', attempts: 1 },
          { event: 'approval_requested', status: 'delivered', attempts: 1 },
        ])
    })

    it('are tried again after a failure, and both attempts are on record', async () => {
      answers.push(500)
      const { body } = await addChannel()
      await createApproval()
      await expect.poll(() => received.length, { timeout: 10_000 }).toBe(2)
      expect(received[0]!.text).toBe(received[1]!.text)
      expect(received[0]!.headers['x-edictum-delivery']).toBe(received[1]!.headers['x-edictum-delivery'])
      await expect.poll(() => deliveriesOf(body.id)).toMatchObject([{ status: 'delivered', attempts: 2 }])
    })

    it('do not follow a redirect', async () => {
      answers.push(302)
      const { body } = await addChannel()
      expect(
        (await ask(`/api/v1/notifications/channels/${body.id}/test`, undefined, 'POST')).body,
      ).toMatchObject({
        success: false,
        message: expect.stringContaining('302'),
      })
    })

    it('speak as Slack understands it, with an agent unable to mark up anything', async () => {
      await addChannel({ channel_type: 'slack', config: { webhook_url: url } })
      await createApproval()
      await expect.poll(() => received.length).toBe(1)
      expect(JSON.parse(received[0]!.text)).toEqual({ text: expect.stringContaining('pay &lt;now&gt;?') })
    })

    it('go only to channels whose filters let them', async () => {
      await addChannel({ filters: { agent_patterns: ['other-*'], environments: ['production'] } })
      await createApproval('asking')
      await createApproval('other-1')
      await expect.poll(() => received.length).toBe(1)
      expect(JSON.parse(received[0]!.text).agent_id).toBe('other-1')
    })

    it('can be tried, and show neither address nor secret', async () => {
      const { body } = await addChannel({ config: { url: `${url}?token=hidden`, secret: 'of-our-own' } })
      expect(body.secret).toBeUndefined()
      expect((await ask(`/api/v1/notifications/channels/${body.id}/test`, undefined, 'POST')).body).toEqual({
        success: true,
        message: 'delivered',
      })
      const listed = await ask('/api/v1/notifications/channels')
      expect(listed.body).toMatchObject([{ last_test_ok: true, config: { secret: '••••' } }])
      expect(JSON.stringify(listed.body)).not.toMatch(/hidden|of-our-own/)
      const rows = await consoleOf().running.services.store.database.all<{ config: string }>(
        'SELECT config FROM notification_channels',
      )
      expect(JSON.stringify(rows)).not.toContain('hidden')
    })

    it('say nothing through a channel that is switched off', async () => {
      const { body } = await addChannel()
      await ask(`/api/v1/notifications/channels/${body.id}`, { enabled: false }, 'PUT')
      await createApproval()
      expect(await deliveriesOf(body.id)).toEqual([])
    })

    it.each([
      ['no address', { config: {} }],
      ['no http', { config: { url: 'file:///etc/passwd' } }],
      ['a password in the address', { config: { url: 'https://a:b@example.com/' } }],
      ['this machine', { config: { url: 'http://localhost:9/' } }],
      ['this machine by number', { config: { url: 'http://2130706434/' } }],
      ['this machine by another number', { config: { url: 'http://[::1]/' } }],
      ['this machine in other clothes', { config: { url: 'http://[::ffff:7f00:1]/' } }],
      ['the metadata of a cloud', { config: { url: 'http://169.254.169.254/latest' } }],
      ['the network of the office', { config: { url: 'https://10.1.2.3/' } }],
      ['a type nobody knows', { channel_type: 'pigeon' }],
      ['a filter nobody knows', { filters: { moon: ['full'] } }],
      ['markup as name', { name: '<b>' }],
    ])('refuse a channel with %s', async (_, more) => {
      expect((await addChannel(more)).status).toBe(422)
      expect((await ask('/api/v1/notifications/channels')).body).toEqual([])
    })

    it('belong to administrators', async () => {
      const body = { name: 'x', channel_type: 'webhook', config: { url } }
      for (const role of ['viewer', 'approver', 'publisher'])
        expect(
          (
            await consoleOf().ask('/api/v1/notifications/channels', {
              cookie: await consoleOf().logInAs(role),
              body,
            })
          ).status,
        ).toBe(403)
      expect((await ask('/api/v1/notifications/channels/none/test', undefined, 'POST')).status).toBe(404)
    })

    it('log no errors', () => {
      expect(consoleOf().errors).toEqual([])
    })
  },
  { webhookHosts: ['127.0.0.1'] },
)

describe('an address is inside', () => {
  it.each([
    ['127.0.0.1', true],
    ['0.0.0.0', true],
    ['10.0.0.1', true],
    ['172.31.255.255', true],
    ['192.168.1.1', true],
    ['169.254.169.254', true],
    ['100.64.0.1', true],
    ['224.0.0.1', true],
    ['255.255.255.255', true],
    ['::1', true],
    ['::', true],
    ['fe80::1', true],
    ['fd00::1', true],
    ['::ffff:10.0.0.1', true],
    ['::ffff:a00:1', true],
    ['64:ff9b::a00:1', true],
    ['2002:a00:1::', true],
    ['not an address', true],
    ['93.184.216.34', false],
    ['172.32.0.1', false],
    ['2606:2800:220:1:248:1893:25c8:1946', false],
  ])('%s: %s', (address, expected) => {
    expect(isInside(address)).toBe(expected)
  })
})
