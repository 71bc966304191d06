import { describe, expect, it } from 'vitest'
import { desk, expectAccessible, expectGone, expectShown, phone, photograph, useBrowser } from './browser.js'

const stage = useBrowser()
const password = 'correct horse battery'

describe('coming in', () => {
  it('takes a click on the page of a login link, a password of one’s own, and that password the next time', async () => {
    const { body } = await stage.console().ask('/api/v1/users', {
      cookie: await stage.console().logIn(),
      body: { email: 'ada@example.com', role: 'approver' },
    })
    const page = await stage.open(new URL(body.login_link).pathname, { cookie: null })
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('link', { name: 'ada@example.com' }).click()
    await page.getByLabel('New password').fill(password)
    await page.getByRole('button', { name: 'Save' }).click()
    await expectShown(page.getByText('The password is set.'))
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByLabel('E-mail address').fill('ada@example.com')
    await page.getByLabel('Password').fill(password)
    await page.getByLabel('Password').press('Enter')
    await expectShown(page.getByRole('link', { name: 'ada@example.com' }))
  })

  it('says why a link or a password does not open', async () => {
    stage.expectComplaint(/401/)
    const page = await stage.open('/login/never-given-out', { cookie: null })
    await page.getByRole('button', { name: 'Log in' }).click()
    await expectShown(page.getByText('this link was used before, or is too old'))
    await page.getByRole('link', { name: 'Log in with a password' }).click()
    await page.getByLabel('E-mail address').fill('nobody@example.com')
    await page.getByLabel('Password').fill('wrong password')
    await page.getByRole('button', { name: 'Log in' }).click()
    await expectShown(page.getByText('wrong address or password'))
    await photograph(page, 'log-in')
  })

  it('shows what was asked for after somebody has logged in', async () => {
    const cookie = await stage.console().logInAs('viewer')
    await stage.console().ask('/api/v1/auth/password', { method: 'PUT', cookie, body: { password } })
    const me = await stage.console().ask('/api/v1/users', { cookie: await stage.console().logIn() })
    const { email } = me.body.at(-1)
    const page = await stage.open('/approvals?before=', { cookie: null })
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Log in' }).click()
    await expectShown(page.getByRole('heading', { name: 'Approvals', level: 1 }))
  })
})

describe('the page around every page', () => {
  it.each([
    ['a phone, light', phone, 'light'],
    ['a phone, dark', phone, 'dark'],
    ['a desk, light', desk, 'light'],
    ['a desk, dark', desk, 'dark'],
  ] as const)('is accessible on %s', async (_name, size, colours) => {
    const page = await stage.open('/approvals', { size, colours })
    await expectShown(page.getByText('Nothing waits for you.'))
    await expectAccessible(page)
  })

  it('is used with keys alone', async () => {
    const page = await stage.open('/account')
    await expectShown(page.getByRole('heading', { name: 'Your account' }))
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content')
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.activeElement.id')).toBe('content')
    await page.keyboard.press('?')
    await expectShown(page.getByRole('dialog', { name: 'Shortcuts' }))
    await page.keyboard.press('Escape')
    await expectGone(page.getByRole('dialog', { name: 'Shortcuts' }))
    await page.keyboard.press('g')
    await page.keyboard.press('a')
    await expectShown(page.getByRole('heading', { name: 'Approvals', level: 1 }))
  })

  it('keeps the colours somebody chose', async () => {
    const page = await stage.open('/account', { colours: 'light' })
    await page.getByLabel('Colours').selectOption('Dark')
    await page.reload()
    expect(await page.getByLabel('Colours').inputValue()).toBe('dark')
    expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe('dark')
  })

  it('has a menu on a phone', async () => {
    const page = await stage.open('/account', { size: phone })
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('link', { name: 'Approvals' }).click()
    await expectShown(page.getByRole('heading', { name: 'Approvals', level: 1 }))
    expect(await page.getByRole('link', { name: 'Approvals' }).isVisible()).toBe(false)
  })

  it('says when the console cannot be reached, and goes on when it can', async () => {
    stage.expectComplaint(/ERR_FAILED|ERR_INTERNET/)
    const page = await stage.open('/approvals')
    await expectShown(page.getByText('Nothing waits for you.'))
    await page.route('**/api/**', (route) => route.abort())
    await page.evaluate("window.dispatchEvent(new Event('focus'))")
    await expectShown(page.getByText('the console does not answer').first())
    await page.unroute('**/api/**')
    await page.evaluate("window.dispatchEvent(new Event('focus'))")
    await expectGone(page.getByText('the console does not answer'))
  })

  it('says what to do at an address without a page', async () => {
    const page = await stage.open('/nowhere/at/all')
    await expectShown(page.getByText('There is no page at this address.'))
    await expectAccessible(page)
  })
})

describe('the files of the page', () => {
  it('are kept by browsers for ever when their name says what is in them, and asked for again when not', async () => {
    const { url } = stage.console()
    const index = await fetch(`${url}/approvals/any`)
    expect(index.headers.get('Cache-Control')).toBe('no-cache')
    expect(index.headers.get('Content-Security-Policy')).not.toContain('unsafe')
    const again = await fetch(url, { headers: { 'If-None-Match': index.headers.get('ETag') ?? '' } })
    expect(again.status).toBe(304)
    const script = /src="(\/assets\/[^"]+\.js)"/.exec(await index.text())?.[1] ?? ''
    const asset = await fetch(url + script, { headers: { 'Accept-Encoding': 'gzip' } })
    expect(asset.headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable')
    expect(asset.headers.get('Content-Encoding')).toBe('gzip')
  })

  it('do not stand in for what programs ask for', async () => {
    for (const path of ['/api/v1/nothing', '/v1/nothing', '/assets/gone.js']) {
      const { status, body } = await stage.console().ask(path)
      expect([status, body.code]).toEqual([404, 'not-found'])
    }
  })
})
