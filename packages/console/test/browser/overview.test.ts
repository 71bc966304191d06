import { describe, expect, it } from 'vitest'
import { desk, expectAccessible, expectShown, phone, photograph, useBrowser } from './browser.js'
import { startDemoAgent } from './demo-agent.js'

const stage = useBrowser()

describe('the overview', () => {
  it('says what to do while there is nothing', async () => {
    const page = await stage.open('/')
    await expectShown(page.getByText('No agent has reported anything yet.'))
    await expectAccessible(page)
  })

  it.each([
    ['a desk, light', desk, 'light'],
    ['a desk, dark', desk, 'dark'],
    ['a phone, light', phone, 'light'],
    ['a phone, dark', phone, 'dark'],
  ] as const)('shows what the server counted, on %s', async (_name, size, colours) => {
    const agent = startDemoAgent(stage.console(), { name: `agent-${colours}-${size.width}` })
    await agent.call('read_file', { path: 'README.md' })
    await agent.call('read_file', { path: 'config/.env' })
    await agent.call('run_command', { command: 'rm -rf /' })
    const page = await stage.open('/?since=1h', { size, colours })
    await expectShown(page.getByRole('region', { name: 'Denials by contract' }).getByText(/no-secrets/))
    await expectShown(
      page.getByRole('region', { name: 'Denied most' }).getByRole('link', { name: 'run_command' }),
    )
    await expectShown(
      page.getByRole('region', { name: 'Agents last heard of' }).getByText(`agent-${colours}-${size.width}`),
    )
    expect(await page.getByRole('img').count()).toBe(3)
    await expectAccessible(page)
    await photograph(page, `overview-${size.width}-${colours}`)
  })

  it('leads to what its numbers count', async () => {
    const page = await stage.open('/')
    await page.getByRole('link', { name: /^Denied/ }).click()
    await expectShown(page.getByRole('table', { name: 'Decisions, newest first' }).getByText('no-secrets'))
    expect(new URL(page.url()).search).toBe('?since=24h&action=call_denied')
  })

  it('changes while somebody looks', async () => {
    const page = await stage.open('/')
    const denied = page.getByRole('link', { name: /^Denied/ }).locator('strong')
    const before = Number(await denied.textContent())
    await startDemoAgent(stage.console()).call('read_file', { path: '.env' })
    await expect.poll(async () => Number(await denied.textContent()), { timeout: 10_000 }).toBe(before + 1)
  })
})
