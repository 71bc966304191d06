// A real Chromium that looks at a real console. Whatever it complains about while a test runs fails the test.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import packedChromium from '@sparticuz/chromium'
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { startTestConsole, type TestConsole, type TestOptions } from '../test-console.js'

export const phone = { width: 360, height: 740 }
export const desk = { width: 1_440, height: 900 }

export interface View {
  readonly size?: { readonly width: number; readonly height: number }
  readonly colours?: 'light' | 'dark'
  /** Cookie of who is looking; nobody if null, the first administrator if absent. */
  readonly cookie?: string | null
}

export interface Stage {
  readonly console: () => TestConsole
  /** A page at an address of the console. */
  readonly open: (path: string, view?: View) => Promise<Page>
  /** For tests in which the server is expected to say no: the browser complains about that. */
  readonly expectComplaint: (text: RegExp) => void
}

/** For the tests of one file: one console, one browser, a fresh profile for every page. */
export function useBrowser(options: TestOptions = {}): Stage {
  let browser: Browser
  let running: TestConsole
  const contexts: BrowserContext[] = []
  const complaints: string[] = []
  const expected: RegExp[] = []

  beforeAll(async () => {
    running = await startTestConsole(options)
    browser = await chromium.launch({
      executablePath: await packedChromium.executablePath(),
      args: ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none'],
    })
  })

  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()))
    const unexpected = complaints.splice(0).filter((text) => !expected.some((form) => form.test(text)))
    expected.length = 0
    expect(unexpected).toEqual([])
    expect(running.errors).toEqual([])
  })

  afterAll(async () => {
    await browser?.close()
    await running?.stop()
  })

  async function open(path: string, view: View = {}): Promise<Page> {
    const context = await browser.newContext({
      viewport: view.size ?? desk,
      colorScheme: view.colours ?? 'light',
      locale: 'en-GB',
      timezoneId: 'UTC',
    })
    contexts.push(context)
    context.setDefaultTimeout(10_000)
    const cookie = view.cookie === undefined ? await running.logIn() : view.cookie
    const [name = '', value = ''] = cookie?.split('=') ?? []
    if (cookie !== null) await context.addCookies([{ name, value, url: running.url }])
    const page = await context.newPage()
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(error.stack ?? error.message))
    // A script of somebody else's that opens a dialog would otherwise wait for ever.
    page.on('dialog', (dialog) => {
      complaints.push(`dialog: ${dialog.message()}`)
      void dialog.dismiss()
    })
    await page.goto(running.url + path)
    return page
  }

  return { console: () => running, open, expectComplaint: (text) => void expected.push(text) }
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface AxeResult {
  readonly violations: readonly {
    readonly id: string
    readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
  }[]
}

/** WCAG 2.2 A and AA as far as a program can tell, and nothing that sticks out of the window. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(axeSource)
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
  const result = (await page.evaluate(`axe.run(document, { runOnly: ${JSON.stringify(tags)} })`)) as AxeResult
  const faults = result.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)}\n${failureSummary}`),
  )
  expect(faults).toEqual([])
  const overhang = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')
  expect(overhang).toBeLessThanOrEqual(0)
}

export async function expectShown(locator: Locator): Promise<void> {
  await locator.first().waitFor()
}

export async function expectGone(locator: Locator): Promise<void> {
  await locator.first().waitFor({ state: 'detached' })
}

/** With the Tab key, as far as it takes. What cannot be reached so, or does not show that it was, fails the test. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor()
  for (let presses = 0; presses < 200; presses++) {
    await page.keyboard.press('Tab')
    if ((await target.and(page.locator(':focus')).count()) === 0) continue
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).not.toBe('none')
    return
  }
  throw new Error(`${String(target)} cannot be reached with the Tab key`)
}

/** Tab and Enter, in place of a click. */
export async function enterOn(page: Page, target: Locator): Promise<void> {
  await tabTo(page, target)
  await page.keyboard.press('Enter')
}

/** For people to look at; not kept in the repository. */
export async function photograph(page: Page, name: string): Promise<void> {
  const folder = process.env['EDICTUM_SCREENSHOTS']
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true })
}
