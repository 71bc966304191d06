import { describe, expect, it } from 'vitest'
import { desk, expectAccessible, expectGone, expectShown, phone, photograph, useBrowser } from './browser.js'
import { startDemoAgent } from './demo-agent.js'

const stage = useBrowser()

describe('contracts', () => {
  it('are written with their faults at the line, saved, deployed, changed, compared and rolled back', async () => {
    const page = await stage.open('/contracts')
    await expectShown(page.getByText('There is no bundle yet.'))
    await page.getByRole('link', { name: 'Write a new bundle' }).click()
    const editor = page.getByLabel('Contracts in YAML')
    await expectShown(page.getByText('The bundle my-contracts loads: 1 contracts.'))
    const draft = await editor.inputValue()
    await editor.fill(draft.replace('effect: deny', 'effect: dney'))
    await expectShown(page.getByRole('button', { name: 'line 10' }))
    await expectAccessible(page)
    await photograph(page, 'editor-fault')
    await page.getByRole('button', { name: 'line 10' }).click()
    expect(await page.evaluate('document.activeElement.tagName')).toBe('TEXTAREA')
    await editor.fill(draft)
    await page.getByRole('button', { name: 'Save as a new version' }).click()
    await page.getByRole('button', { name: 'Deploy' }).click()
    await page.getByRole('button', { name: 'Deploy version 1' }).click()
    const inForce = page.getByRole('region', { name: 'In force in production' })
    await expectShown(inForce.getByText(/Version 1, deployed/))
    await page.getByRole('link', { name: 'Edit' }).click()
    await expect.poll(() => editor.inputValue()).toBe(draft)
    await editor.fill(draft.replace('.env', '.pem'))
    await page.getByRole('button', { name: 'Save as a new version' }).click()
    await page.getByRole('row', { name: /^2 / }).getByRole('button', { name: 'Deploy' }).click()
    await page.getByRole('button', { name: 'Deploy version 2' }).click()
    await expectShown(inForce.getByText(/Version 2, deployed/))
    await expectAccessible(page)
    await photograph(page, 'bundle-desk')
    await page.getByRole('link', { name: 'What changed' }).click()
    await expectShown(page.getByText(/contains: "\.pem"/))
    expect(await page.locator('.diff [data-kind="removed"]').count()).toBe(1)
    await expectAccessible(page)
    await photograph(page, 'diff')
    await page.goBack()
    await inForce.getByRole('button', { name: 'Roll back' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click()
    await expectGone(page.getByRole('dialog'))
    await expectShown(inForce.getByText(/Version 1, deployed/))
  })

  it('are only read by those who may not publish', async () => {
    const page = await stage.open('/contracts/my-contracts', {
      cookie: await stage.console().logInAs('viewer'),
    })
    await expectShown(page.getByRole('link', { name: 'Read' }))
    expect(await page.getByRole('button', { name: 'Deploy' }).count()).toBe(0)
  })
})

describe('completion', () => {
  it.each([
    ['a desk, light', desk, 'light'],
    ['a phone, dark', phone, 'dark'],
  ] as const)('offers what the schema allows, without a mouse, on %s', async (_name, size, colours) => {
    const page = await stage.open('/contracts-new', { size, colours })
    const editor = page.getByLabel('Contracts in YAML')
    await editor.fill(
      'apiVersion: edictum/v1\nkind: ContractBundle\ncontracts:\n  - id: x\n    type: session\n    ',
    )
    await editor.press('Control+End')
    await editor.press('Control+Space')
    const offer = page.getByRole('listbox', { name: 'What may be written here' })
    await expectShown(offer.getByRole('option', { name: 'limits:' }))
    expect(await offer.getByRole('option', { name: 'when:' }).count()).toBe(0)
    await expectAccessible(page)
    await photograph(page, `completion-${size.width}`)
    await editor.pressSequentially('lim')
    await expect.poll(() => offer.getByRole('option').allTextContents()).toEqual(['limits: '])
    await editor.press('ArrowDown')
    await editor.press('Enter')
    await expect.poll(() => editor.inputValue()).toMatch(/\n {4}limits: $/)
    await editor.pressSequentially('x')
    await editor.press('Escape')
    expect(await offer.count()).toBe(0)
  })

  it('takes a word by a click, and leaves Enter alone while none is chosen', async () => {
    const page = await stage.open('/contracts-new')
    const editor = page.getByLabel('Contracts in YAML')
    await editor.fill('')
    await editor.pressSequentially('kin')
    await page.getByRole('option', { name: 'kind:' }).click()
    await expect.poll(() => editor.inputValue()).toBe('kind: ')
    await editor.pressSequentially('Con')
    await expectShown(page.getByRole('option', { name: 'ContractBundle' }))
    await editor.press('Enter')
    await expect.poll(() => editor.inputValue()).toBe('kind: Con\n')
  })
})

describe('the playground', () => {
  it.each([
    ['a desk, light', desk, 'light'],
    ['a phone, dark', phone, 'dark'],
  ] as const)('says what a draft decides and why, on %s', async (_name, size, colours) => {
    const page = await stage.open('/playground', { size, colours })
    const verdict = page.getByRole('region', { name: 'Verdict' })
    await expectShown(verdict.getByText('deny', { exact: true }))
    await expectShown(verdict.getByRole('region', { name: 'Explanation' }).getByText(/args\.path/))
    await expectAccessible(page)
    await photograph(page, `playground-${size.width}`)
    await page.getByLabel('Arguments').fill('{ "path": "README.md" }')
    await expectShown(verdict.getByText('allow', { exact: true }))
  })

  it('says what would change about the calls that were made', async () => {
    const agent = startDemoAgent(stage.console())
    await agent.call('read_file', { path: 'README.md' })
    await agent.call('read_file', { path: 'server.pem' })
    const page = await stage.open('/playground')
    const editor = page.getByLabel('Contracts in YAML')
    await editor.fill((await editor.inputValue()).replace('.env', '.pem'))
    await page.getByRole('button', { name: 'Replay' }).click()
    await expectShown(page.getByText('1 of 2 calls would be decided in another way.'))
    await expectShown(page.getByRole('table', { name: 'What would change' }).getByText('server.pem'))
    await expectAccessible(page)
  })
})
