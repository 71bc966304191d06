// What takes long says so, and what fails says what to do.
import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { expectAccessible, expectGone, expectShown, useBrowser } from './browser.js'
import { startDemoAgent } from './demo-agent.js'

const stage = useBrowser()

/** Answers of the server to these addresses wait until they are let go. */
async function hold(page: Page, addresses: RegExp): Promise<() => void> {
  let letGo = (): void => undefined
  const released = new Promise<void>((resolve) => (letGo = resolve))
  await page.route(addresses, async (route) => {
    await released
    await route.continue()
  })
  return letGo
}

async function goTo(page: Page, key: string): Promise<void> {
  await page.keyboard.press('g')
  await page.keyboard.press(key)
}

describe('what takes long', () => {
  it.each([
    ['d', /\/api\/edictum\/v1\/decisions(\?|$)/, 'Loading decisions…'],
    ['s', /\/api\/edictum\/v1\/agent-sessions/, 'Loading sessions…'],
    ['f', /\/api\/v1\/agents\/status/, 'Loading the fleet…'],
    ['f', /\/api\/v1\/agents\/fleet-coverage/, 'Loading the coverage…'],
    ['c', /\/api\/v1\/bundles$/, 'Loading bundles…'],
    ['b', /\/api\/edictum\/v1\/calibration/, 'Loading what sessions do…'],
    ['k', /\/api\/v1\/keys/, 'Loading keys…'],
  ] as const)('is announced on the page behind g %s', async (key, addresses, words) => {
    const page = await stage.open('/account')
    await expectShown(page.getByRole('heading', { name: 'Your account' }))
    const letGo = await hold(page, addresses)
    await goTo(page, key)
    const progress = page.getByText(words)
    await expectShown(progress)
    letGo()
    await expectGone(progress)
  })

  it('is shown on the button that did it, which does it once', async () => {
    const page = await stage.open('/keys')
    await page.getByText('Make a key').click()
    // Another one at every try.
    const label = `only ${randomUUID()}`
    await page.getByLabel('Label').fill(label)
    const letGo = await hold(page, /\/api\/v1\/keys$/)
    const make = page.getByRole('button', { name: 'Make the key' })
    await make.click()
    await page.keyboard.press('Enter')
    await expectShown(make.locator('.spinner'))
    await expectAccessible(page)
    letGo()
    await expectShown(page.getByText('It is not shown again.'))
    await expectShown(page.getByRole('row', { name: label }))
    const { body } = await stage.console().ask('/api/v1/keys', { cookie: await stage.console().logIn() })
    expect(body.filter((key: { label: string }) => key.label === label)).toHaveLength(1)
  })

  it('is said of a draft that is being checked', async () => {
    const page = await stage.open('/contracts-new')
    await expectShown(page.getByText('The bundle my-contracts loads'))
    const letGo = await hold(page, /\/bundles\/check$/)
    await page.getByLabel('Contracts in YAML').pressSequentially('# more')
    await expectShown(page.getByText('Checking…'))
    letGo()
    await expectGone(page.getByText('Checking…'))
  })

  it('is said of a decision that is judged again, while everything else is there', async () => {
    await startDemoAgent(stage.console()).call('read_file', { path: '.env' })
    const page = await stage.open('/decisions')
    const letGo = await hold(page, /\/explanation$/)
    await page.getByRole('table').getByRole('link').first().click()
    await expectShown(page.getByRole('heading', { name: 'The call' }))
    await expectShown(page.getByText('Loading why…'))
    letGo()
    await expectShown(page.getByText(/not stored here/))
    await expectAccessible(page)
  })
})

describe('what changes while it is being read', () => {
  it('is read again', async () => {
    const page = await stage.open('/keys')
    await page.getByText('Make a key').click()
    let letGo = (): void => undefined
    const released = new Promise<void>((resolve) => (letGo = resolve))
    let isHeld = (): void => undefined
    const held = new Promise<void>((resolve) => (isHeld = resolve))
    // Answered before the second key is made, and on its way until after it.
    await page.route(/\/api\/v1\/keys$/, async (route) => {
      if (route.request().method() !== 'GET') return route.continue()
      const response = await route.fetch()
      isHeld()
      await released
      await route.fulfill({ response })
    })
    const makeKey = async (label: string): Promise<string> => {
      const before = await page.locator('.secret code').allTextContents()
      await page.getByLabel('Label').fill(label)
      await page.getByRole('button', { name: 'Make the key' }).click()
      await expect.poll(() => page.locator('.secret code').allTextContents()).not.toEqual(before)
      return (await page.locator('.secret code').textContent()) ?? ''
    }
    const first = await makeKey('before it')
    await held
    expect(await makeKey('in between')).not.toBe(first)
    letGo()
    await expectShown(page.getByRole('row', { name: /in between/ }))
  })
})

describe('what fails', () => {
  it('says what to do', async () => {
    stage.expectComplaint(/422|500|413/)
    const page = await stage.open('/contracts-new')
    await expectShown(page.getByText('The bundle my-contracts loads'))
    const save = page.getByRole('button', { name: 'Save as a new version' })
    for (const [status, advice] of [
      [422, 'Change what is named above, then try again.'],
      [413, 'It is larger than the console takes.'],
      [500, 'The log of the server says more.'],
    ] as const) {
      await page.route(/\/api\/v1\/bundles$/, (route) =>
        route.fulfill({ status, json: { detail: 'it is wrong', code: 'invalid-request' } }),
      )
      await save.click()
      await expectShown(page.getByRole('alert').getByText(advice))
      await page.unroute(/\/api\/v1\/bundles$/)
    }
  })

  it('is said of a draft that could not be checked', async () => {
    stage.expectComplaint(/503/)
    const page = await stage.open('/contracts-new')
    await expectShown(page.getByText('The bundle my-contracts loads'))
    await page.route(/\/bundles\/check$/, (route) =>
      route.fulfill({ status: 503, json: { detail: 'too many at once', code: 'unavailable' } }),
    )
    await page.getByLabel('Contracts in YAML').pressSequentially('#')
    await expectShown(page.getByRole('alert').getByText('too many at once'))
    await expectGone(page.getByText('The bundle my-contracts loads'))
  })
})
