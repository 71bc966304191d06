// Everything that can be done on the page, done with Tab, Enter, Space, Escape and letters: no mouse, no focus set by a program.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contractBundle } from '../bundle-texts.js'
import {
  enterOn,
  expectAccessible,
  expectGone,
  expectShown,
  photograph,
  tabTo,
  useBrowser,
} from './browser.js'
import { startDemoAgent } from './demo-agent.js'

const stage = useBrowser({ webhookHosts: ['127.0.0.1'] })

let receiver: Server
let address: string
beforeAll(async () => {
  receiver = createServer((_request, response) => response.writeHead(200).end())
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
})
afterAll(() => receiver.close())

let names = 0
/** Another one at every try, so that a second try does not meet what the first left behind. */
const newName = (name: string): string => `${name}-${++names}`

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

/** What the field holds is replaced. */
async function typeInto(page: Page, label: string, text: string): Promise<void> {
  await tabTo(page, page.getByLabel(label, { exact: true }))
  await page.keyboard.press('Control+a')
  await page.keyboard.type(text)
}

/** A dialog has the focus already; the first of its buttons does it. */
async function confirm(page: Page, label: string): Promise<void> {
  const dialog = page.getByRole('dialog')
  await expectShown(dialog)
  await enterOn(page, dialog.getByRole('button', { name: label, exact: true }))
  await expectGone(dialog)
}

/** Focus that fell to the document means starting over from the first link. */
async function expectFocusInPage(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate('document.activeElement.tagName')).not.toBe('BODY')
}

describe('without a mouse', () => {
  it('somebody comes in by a link, sets a password, leaves, and comes in by the password', async () => {
    const email = `${newName('ada')}@example.com`
    const { body } = await stage.console().ask('/api/v1/users', {
      cookie: await stage.console().logIn(),
      body: { email, role: 'viewer' },
    })
    const page = await stage.open(new URL(body.login_link).pathname, { cookie: null })
    await enterOn(page, button(page, 'Log in'))
    await enterOn(page, page.getByRole('link', { name: email }))
    await typeInto(page, 'New password', 'correct horse battery')
    await page.keyboard.press('Enter')
    await expectShown(page.getByText('The password is set.'))
    await enterOn(page, button(page, 'Log out'))
    await typeInto(page, 'E-mail address', email)
    await typeInto(page, 'Password', 'correct horse battery')
    await page.keyboard.press('Enter')
    await expectShown(page.getByRole('link', { name: email }))
  })

  it('a key is made, thought better of revoking, and revoked', async () => {
    const page = await stage.open('/keys')
    await enterOn(page, page.getByText('Make a key'))
    await typeInto(page, 'Environment', 'staging')
    const label = newName('by keys')
    await typeInto(page, 'Label', label)
    await tabTo(page, page.getByRole('checkbox', { name: /^publish/ }))
    await page.keyboard.press('Space')
    await enterOn(page, button(page, 'Make the key'))
    const row = page.getByRole('row', { name: `${label} staging agent, publish` })
    const revoke = row.getByRole('button', { name: 'Revoke' })
    await enterOn(page, revoke)
    await expectShown(page.getByRole('dialog'))
    await page.keyboard.press('Escape')
    await expectGone(page.getByRole('dialog'))
    // Back where it was.
    await expectShown(revoke.and(page.locator(':focus')))
    await page.keyboard.press('Enter')
    await confirm(page, 'Revoke')
    await expectGone(row)
    await expectFocusInPage(page)
  })

  it('a user is added, gets another role only when that is confirmed, and is removed', async () => {
    const email = `${newName('grace')}@example.com`
    const page = await stage.open('/users')
    await enterOn(page, page.getByText('Add somebody'))
    await typeInto(page, 'E-mail address', email)
    await tabTo(page, page.getByLabel('Role', { exact: true }))
    await page.keyboard.type('app')
    await enterOn(page, button(page, 'Add'))
    await expectShown(page.getByText(/Pass this login link on/))
    const roleOf = async (): Promise<string> => {
      const { body } = await stage.console().ask('/api/v1/users', { cookie: await stage.console().logIn() })
      return body.find((user: { email: string }) => user.email === email).role
    }
    expect(await roleOf()).toBe('approver')
    await tabTo(page, page.getByLabel(`Role of ${email}`))
    // On the way to publisher, and one too far.
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await expectShown(button(page, 'Change the role'))
    expect(await roleOf()).toBe('approver')
    await page.keyboard.press('ArrowUp')
    await enterOn(page, button(page, 'Change the role'))
    await expectAccessible(page)
    await photograph(page, 'users-role')
    await confirm(page, 'Change the role')
    expect(await roleOf()).toBe('publisher')
    const row = page.getByRole('row', { name: email })
    await enterOn(page, row.getByRole('button', { name: 'Remove' }))
    await confirm(page, 'Remove')
    await expectGone(row)
    await expectFocusInPage(page)
  })

  it('events are kept for fewer days, and old ones removed', async () => {
    await stage.console().ask('/api/v1/settings/retention', {
      method: 'PUT',
      cookie: await stage.console().logIn(),
      body: { event_days: null },
    })
    const page = await stage.open('/settings')
    await typeInto(page, 'Days', '30')
    await page.keyboard.press('Enter')
    await confirm(page, 'Save and remove')
    await expectShown(page.getByText('Saved.'))
    await enterOn(page, button(page, 'Remove events older than 90 days'))
    await confirm(page, 'Remove events older than 90 days')
    await expectShown(page.getByText('0 events were removed.'))
  })

  it('a channel is added, tried, changed, turned off and on, and removed', async () => {
    const name = newName('by keys')
    const page = await stage.open('/notifications')
    await enterOn(page, page.getByText('Add a channel', { exact: true }))
    await typeInto(page, 'Name', name)
    await typeInto(page, 'Address', address)
    await page.keyboard.press('Enter')
    const link = page.getByRole('link', { name })
    await enterOn(page, link)
    await enterOn(page, button(page, 'Send a test'))
    await expectShown(page.getByText('The test arrived'))
    await enterOn(page, button(page, 'Turn off'))
    await expectShown(button(page, 'Turn on'))
    await page.keyboard.press('Enter')
    await expectShown(button(page, 'Turn off'))
    await enterOn(page, page.getByText('Change it'))
    await typeInto(page, 'Only environments', 'production')
    await page.keyboard.press('Enter')
    await expectShown(page.getByText('in production'))
    await enterOn(page, page.getByRole('link', { name: 'All channels' }))
    await enterOn(page, page.getByRole('row', { name }).getByRole('button', { name: 'Remove' }))
    await confirm(page, 'Remove')
    await expectGone(link)
    await expectFocusInPage(page)
  })

  it('agents get their bundle by a rule that is added and removed', async () => {
    await stage.console().ask('/api/v1/bundles', {
      cookie: await stage.console().logIn(),
      body: { yaml_content: contractBundle({ name: 'ruled' }) },
    })
    const agents = newName('fleet')
    const page = await stage.open('/fleet')
    await enterOn(page, page.getByText('Add a rule'))
    await typeInto(page, 'Agents', agents)
    await typeInto(page, 'Bundle', 'ruled')
    await page.keyboard.press('Enter')
    const row = page.getByRole('row', { name: new RegExp(`\\d+ ${agents} any production ruled`) })
    await expectShown(row)
    await expectAccessible(page)
    await photograph(page, 'fleet-rules')
    await enterOn(page, row.getByRole('button', { name: 'Remove' }))
    await expectShown(page.getByRole('dialog').getByText(/Agents it fits get what the next rule says/))
    await confirm(page, 'Remove')
    await expectGone(row)
    await expectFocusInPage(page)
  })

  it('contracts are written, deployed, changed and rolled back', async () => {
    const page = await stage.open('/contracts')
    await enterOn(page, page.getByRole('link', { name: 'Write a new bundle' }))
    await expectShown(page.getByText('The bundle my-contracts loads'))
    await enterOn(page, button(page, 'Save as a new version'))
    const inForce = page.getByRole('region', { name: 'In force in production' })
    const deploy = async (version: number): Promise<void> => {
      const row = page.getByRole('row', { name: new RegExp(`^${version} `) })
      await enterOn(page, row.getByRole('button', { name: 'Deploy' }))
      await confirm(page, `Deploy version ${version}`)
      await expectShown(inForce.getByText(new RegExp(`Version ${version}, deployed`)))
    }
    await deploy(1)
    await enterOn(page, page.getByRole('link', { name: 'Edit' }))
    await tabTo(page, page.getByLabel('Contracts in YAML'))
    await page.keyboard.press('Control+Home')
    await page.keyboard.type('# the second\n')
    await expectShown(page.getByText('The bundle my-contracts loads'))
    // Tab writes nothing into the text, so it leads on.
    await enterOn(page, button(page, 'Save as a new version'))
    await deploy(2)
    await enterOn(page, inForce.getByRole('button', { name: 'Roll back' }))
    await confirm(page, 'Roll back')
    await expectShown(inForce.getByText(/Version 1, deployed/))
  })

  it('older pages are turned to, and the newest again', async () => {
    const events = Array.from({ length: 60 }, (_, number) => ({
      timestamp: new Date(Date.now() + number).toISOString(),
      call_id: `paged-${number}`,
      session_id: 'paged',
      tool_name: `tool_${number}`,
      action: 'call_allowed',
    }))
    await stage.console().ask('/api/edictum/v1/events', { body: { events } })
    const page = await stage.open('/decisions?session_id=paged')
    await enterOn(page, button(page, 'Older'))
    await expectShown(page.getByText('tool_0', { exact: true }))
    await expectFocusInPage(page)
    await enterOn(page, button(page, 'Newest'))
    await expectShown(page.getByText('tool_59', { exact: true }))
    await expectFocusInPage(page)
  })

  it.each([
    ['approved', 'Approve and run', 'done: deploy'],
    ['denied', 'Deny', 'not today'],
  ] as const)('a call is %s', async (_what, label, answer) => {
    const call = startDemoAgent(stage.console()).call('deploy', { service: 'mail', target: 'production' })
    const page = await stage.open('/approvals')
    await typeInto(page, 'Reason', 'not today')
    await enterOn(page, button(page, label))
    expect(await call).toContain(answer)
    await expectGone(page.getByRole('article'))
    await expectFocusInPage(page)
  })
})
