// From a new console to the first decision on record, as somebody does it who has just started one.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Edictum } from 'edictum'
import { describe, expect, it } from 'vitest'
import { desk, expectAccessible, expectShown, phone, photograph, useBrowser } from './browser.js'

const stage = useBrowser()

describe('the first steps', () => {
  it.each([
    ['a desk, dark', desk, 'dark'],
    ['a phone, light', phone, 'light'],
  ] as const)('are shown on %s', async (_name, size, colours) => {
    const page = await stage.open('/', { size, colours })
    await expectShown(page.getByRole('heading', { name: 'Set a password' }))
    await expectAccessible(page)
    await photograph(page, `first-steps-${size.width}`)
  })

  it('say to others whom to ask', async () => {
    const page = await stage.open('/', { cookie: await stage.console().logInAs('viewer') })
    await expectShown(page.getByText('An administrator can make an API key under Keys.'))
    expect(await page.getByRole('button', { name: 'Make a key' }).count()).toBe(0)
  })

  it('lead to the first decision without a mouse', async () => {
    const page = await stage.open('/')
    const step = (title: string) => page.getByRole('listitem').filter({ hasText: title })
    await page.getByLabel('New password').focus()
    await page.keyboard.type('correct horse battery')
    await page.keyboard.press('Enter')
    await expectShown(step('Set a password').getByText('done'))

    await page.getByRole('link', { name: 'Write the first bundle' }).focus()
    await page.keyboard.press('Enter')
    await expectShown(page.getByText('The bundle my-contracts loads'))
    await page.getByRole('button', { name: 'Save as a new version' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Deploy', exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByLabel('Environment').focus()
    await page.keyboard.press('Enter')
    await expectShown(page.getByRole('region', { name: 'In force in production' }))
    await page.keyboard.press('g')
    await page.keyboard.press('o')
    await expectShown(step('Put contracts into force').getByText('done'))

    await page.getByRole('button', { name: 'Make a key' }).focus()
    await page.keyboard.press('Enter')
    const apiKey = (await page.locator('.secret code').textContent()) ?? ''
    await expectAccessible(page)
    await photograph(page, 'first-steps-done')
    const program =
      (await page.getByRole('region', { name: 'Program that connects an agent' }).textContent()) ?? ''
    const [, url = ''] = /url: '(.*)'/.exec(program) ?? []
    const [, bundleName = ''] = /bundleName: '(.*)'/.exec(program) ?? []

    // What the program says, done here.
    const stateFolder = mkdtempSync(join(tmpdir(), 'edictum-first-'))
    const guard = await Edictum.fromServer({ url, apiKey, agentId: 'first-agent', bundleName, stateFolder })
    expect(await guard.run('read_file', { path: 'README.md' }, async () => 'hello')).toBe('hello')
    await guard.close()
    rmSync(stateFolder, { recursive: true, force: true })
    await page
      .getByRole('region', { name: 'Agents last heard of' })
      .getByText('first-agent')
      .waitFor({ timeout: 30_000 })
  })
})
