// Through which channels people are told: made, tried, changed and removed by an administrator, with everything that was sent.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { desk, expectAccessible, expectGone, expectShown, phone, photograph, useBrowser } from './browser.js'

const stage = useBrowser({ webhookHosts: ['127.0.0.1'] })

let receiver: Server
let address: string
/** What the receiver answers, in order; then 200. */
const answers: number[] = []

beforeAll(async () => {
  receiver = createServer((_request, response) => {
    response.writeHead(answers.shift() ?? 200).end('<b>out of order</b>')
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
})
afterAll(() => receiver.close())

async function addChannel(page: Page, name: string): Promise<void> {
  await page.getByText('Add a channel', { exact: true }).click()
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Address').fill(address)
  await page.getByRole('button', { name: 'Add the channel' }).click()
  await expectShown(page.getByRole('link', { name }))
}

async function askForApproval(): Promise<void> {
  const { status } = await stage.console().ask('/api/v1/approvals', {
    body: { agent_id: 'asking', tool_name: 'deploy', tool_args: {}, message: 'Deploy?', timeout: 300 },
    headers: { 'X-Edictum-Agent-Id': 'asking' },
  })
  expect(status).toBe(201)
}

describe('notifications', () => {
  it('say that nobody is told yet', async () => {
    const page = await stage.open('/notifications')
    await expectShown(page.getByText('Nobody is told.'))
    await expectAccessible(page)
  })

  it.each([
    ['a desk, light', desk, 'light'],
    ['a phone, dark', phone, 'dark'],
  ] as const)('are added and tried, and say how every message went, on %s', async (_name, size, colours) => {
    const name = `on call ${size.width}`
    const page = await stage.open('/notifications', { size, colours })
    await addChannel(page, name)
    await expectShown(page.getByText('It is not shown again.'))
    await expectAccessible(page)
    await photograph(page, `notifications-${size.width}`)
    await page.getByRole('link', { name }).click()
    await expectShown(page.getByText('Nothing was sent yet.'))
    await page.getByRole('button', { name: 'Send a test' }).click()
    await expectShown(page.getByText('The test arrived'))
    answers.push(503)
    await page.getByRole('button', { name: 'Send a test' }).click()
    await expectShown(page.getByText('The test did not arrive'))
    await expectShown(page.getByText('answered 503 <b>out of order</b>'))
    // The first attempt fails, the next one does not.
    answers.push(500)
    await askForApproval()
    const sent = page.getByRole('table', { name: 'What was sent, newest first' })
    await sent.getByRole('row', { name: /Asked arrived 2/ }).waitFor({ timeout: 30_000 })
    await expectAccessible(page)
    await photograph(page, `channel-${size.width}`)
    await page.getByRole('link', { name: 'All channels' }).click()
    await page.getByRole('row', { name }).getByRole('button', { name: 'Remove' }).click()
    await expectShown(page.getByRole('dialog').getByText('This cannot be undone.'))
    await expectAccessible(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await expectGone(page.getByRole('link', { name }))
  })

  it('are turned off and changed, and keep their address', async () => {
    const page = await stage.open('/notifications')
    await addChannel(page, 'changing')
    await page.getByRole('link', { name: 'changing' }).click()
    await page.getByRole('button', { name: 'Turn off' }).click()
    await expectShown(page.getByRole('button', { name: 'Turn on' }))
    await page.getByText('Change it').click()
    await page.getByLabel('Only environments').fill('production, staging-*')
    await page.getByRole('button', { name: 'Save' }).click()
    await expectShown(page.getByText('in production or staging-*'))
    const { body } = await stage
      .console()
      .ask('/api/v1/notifications/channels', { cookie: await stage.console().logIn() })
    expect(body.find((channel: { name: string }) => channel.name === 'changing')).toMatchObject({
      enabled: false,
      config: { url: `${new URL(address).origin}/…` },
      filters: { environments: ['production', 'staging-*'], agent_patterns: [], contract_names: [] },
    })
  })

  it('refuse an address inside the network, and say why', async () => {
    stage.expectComplaint(/422/)
    const page = await stage.open('/notifications')
    await page.getByText('Add a channel', { exact: true }).click()
    await page.getByLabel('Name').fill('inside')
    await page.getByLabel('Address').fill('http://10.0.0.1/hook')
    await page.getByRole('button', { name: 'Add the channel' }).click()
    await expectShown(page.getByText(/10\.0\.0\.1 is inside this network/))
  })

  it('are only looked at by those who may not change them', async () => {
    const page = await stage.open('/notifications', { cookie: await stage.console().logInAs('viewer') })
    await page.getByRole('link', { name: 'changing' }).click()
    await expectShown(page.getByText('in production or staging-*'))
    expect(await page.getByRole('button', { name: 'Send a test' }).count()).toBe(0)
  })
})
