import { describe, expect, it } from 'vitest'
import { desk, expectAccessible, expectGone, expectShown, phone, photograph, useBrowser } from './browser.js'

const stage = useBrowser()

describe('keys', () => {
  it('are made, shown once, used and revoked', async () => {
    const page = await stage.open('/keys')
    await page.getByText('Make a key').click()
    await page.getByLabel('Environment').fill('staging')
    await page.getByLabel('Label').fill('browser test')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Make the key' }).click()
    const key = (await page.locator('.secret code').textContent()) ?? ''
    expect((await stage.console().ask('/api/v1/events?limit=1', { key })).status).toBe(200)
    await photograph(page, 'keys-desk')
    const row = page.getByRole('row', { name: /browser test/ })
    await row.getByRole('button', { name: 'Revoke' }).click()
    const dialog = page.getByRole('dialog')
    await expectShown(dialog.getByText('This cannot be undone.'))
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Revoke' }).click()
    await expectGone(page.getByRole('row', { name: /browser test/ }))
    expect((await stage.console().ask('/api/v1/events?limit=1', { key })).status).toBe(401)
  })
})

describe('users', () => {
  it('are added with a link to pass on, given another role, and removed', async () => {
    const page = await stage.open('/users')
    await page.getByText('Add somebody').click()
    await page.getByLabel('E-mail address').fill('grace@example.com')
    await page.getByLabel('Role', { exact: true }).selectOption('approver')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    const link = (await page.locator('.secret code').textContent()) ?? ''
    expect(link).toMatch(/^http.*\/login\/\S+$/)
    await expectAccessible(page)
    await photograph(page, 'users-desk')
    await page.getByLabel('Role of grace@example.com').selectOption('publisher')
    await page.getByRole('button', { name: 'Change the role' }).click()
    const change = page.getByRole('dialog', { name: 'Make grace@example.com publisher' })
    await expectShown(change.getByText('Until now: looks, decides approvals.'))
    await change.getByRole('button', { name: 'Change the role' }).click()
    await expectGone(change)
    await expect
      .poll(async () => {
        const { body } = await stage.console().ask('/api/v1/users', { cookie: await stage.console().logIn() })
        return body.find(({ email }: { email: string }) => email === 'grace@example.com').role
      })
      .toBe('publisher')
    const row = page.getByRole('row', { name: /grace@example.com/ })
    await row.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await expectGone(row)
  })

  it('are not offered to those who may not change them', async () => {
    const page = await stage.open('/keys', { cookie: await stage.console().logInAs('viewer') })
    await expectShown(page.getByRole('table', { name: 'Keys in force' }))
    expect(await page.getByRole('link', { name: 'Users' }).count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Revoke' }).count()).toBe(0)
    expect(await page.getByText('Make a key').count()).toBe(0)
  })
})

describe('the operator log and the settings', () => {
  it.each([
    ['a desk, light', desk, 'light'],
    ['a phone, dark', phone, 'dark'],
  ] as const)('are shown on %s', async (_name, size, colours) => {
    const page = await stage.open('/operator-log', { size, colours })
    await expectShown(page.getByText('login.link'))
    await expectAccessible(page)
    await photograph(page, `operator-log-${size.width}`)
    await page.goto(`${stage.console().url}/settings`)
    await expectShown(page.getByText('Open streams and long polls'))
    await expectAccessible(page)
    await photograph(page, `settings-${size.width}`)
  })

  it('keep events as long as somebody says, and write down who said it', async () => {
    const page = await stage.open('/settings')
    await page.getByLabel('Days').fill('30')
    await page.getByRole('button', { name: 'Save' }).click()
    const shorter = page.getByRole('dialog', { name: 'Keep events for 30 days' })
    await expectShown(shorter.getByText('This cannot be undone.'))
    await shorter.getByRole('button', { name: 'Save and remove' }).click()
    await expectShown(page.getByText('Saved.'))
    expect(await page.getByLabel('Days').inputValue()).toBe('30')
    await page.getByLabel('Days').fill('60')
    await page.getByRole('button', { name: 'Save' }).click()
    await expectShown(page.getByText('Saved.'))
    expect(await page.getByRole('dialog').count()).toBe(0)
    await page.getByRole('button', { name: 'Remove events older than 90 days' }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Remove events/ })
      .click()
    await expectShown(page.getByText('0 events were removed.'))
    await page.goto(`${stage.console().url}/operator-log`)
    await expectShown(page.getByRole('row', { name: /retention.change/ }))
    await expectShown(page.getByRole('row', { name: /events.purge/ }))
  })
})
