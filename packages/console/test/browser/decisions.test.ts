import { describe, expect, it } from 'vitest'
import { desk, expectAccessible, expectShown, phone, photograph, useBrowser } from './browser.js'
import { startDemoAgent } from './demo-agent.js'

const stage = useBrowser()

const explainedBundle = `apiVersion: edictum/v1
kind: ContractBundle
metadata: { name: explained }
defaults: { mode: enforce }
contracts:
  - id: only-inside
    type: pre
    tool: send_mail
    when:
      any:
        - not: { args.to: { ends_with: "@inside.example" } }
        - args.count: { gt: 5 }
    then: { effect: deny, message: "Mail goes to people inside only, not to {args.to}" }
  - id: not-so-many
    type: pre
    tool: send_mail
    when: { args.count: { gt: 5 } }
    then: { effect: deny, message: "Too many" }
`

async function someTraffic(session: string): Promise<void> {
  const agent = startDemoAgent(stage.console(), { session })
  await agent.call('read_file', { path: 'README.md' })
  await agent.call('read_file', { path: 'config/.env' })
  await agent.call('run_command', { command: 'rm -rf /srv' })
  await agent.call('write_file', { path: '/etc/hosts', text: 'x' })
}

describe('decisions', () => {
  it('appear as they are made, and are filtered', async () => {
    const page = await stage.open('/decisions')
    await expectShown(page.getByText('No agent has reported anything yet.'))
    await someTraffic('s-live')
    const table = page.getByRole('table', { name: 'Decisions, newest first' })
    await expectShown(table.getByText('Deleting trees is not for agents'))
    await expectShown(table.getByText('Would be denied'))
    await expectAccessible(page)
    await photograph(page, 'decisions-desk')
    await page.getByLabel('What').selectOption('Denied')
    await page.getByLabel('Contract').fill('no-secrets')
    await page.keyboard.press('Enter')
    await expectShown(table.getByText('Read of sensitive file denied: config/.env'))
    expect(await table.getByRole('row').count()).toBe(2)
    expect(new URL(page.url()).search).toBe('?action=call_denied&contract=no-secrets')
    await page.getByRole('button', { name: 'Show everything' }).click()
    await expectShown(table.getByText('Executed'))
  })

  it('are searched with keys alone, and say when nothing matches', async () => {
    const page = await stage.open('/decisions', { size: phone, colours: 'dark' })
    await expectShown(page.getByRole('table'))
    await page.keyboard.press('/')
    await page.keyboard.type('sensitive file')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
    await expectAccessible(page)
    await photograph(page, 'decisions-phone')
    await page.keyboard.press('/')
    await page.keyboard.press('Control+a')
    await page.keyboard.type('no such text anywhere')
    await page.keyboard.press('Enter')
    await expectShown(page.getByText('Nothing matches.'))
  })

  it('open with the call, the contracts, the way through the guard and the other events of the call', async () => {
    const page = await stage.open('/decisions?action=call_denied&contract=no-secrets')
    await page.getByRole('table').getByRole('link').first().click()
    await expectShown(page.getByRole('heading', { name: 'Decision', exact: true }))
    await expectShown(page.getByText('Read of sensitive file denied: config/.env'))
    await expectShown(page.getByRole('region', { name: 'Arguments' }).getByText('config/.env'))
    await expectShown(page.getByRole('region', { name: 'Principal' }).getByText('alice'))
    const contracts = page.getByRole('table', { name: 'Contracts evaluated' })
    await expectShown(contracts.getByRole('row', { name: /no-secrets.*fired/ }))
    await expectShown(page.getByRole('listitem').filter({ hasText: /decide.*stopped here/ }))
    await expectShown(page.getByRole('listitem').filter({ hasText: /judge.*not reached/ }))
    await expectAccessible(page)
    await photograph(page, 'decision-desk')
  })

  it('tell which steps of the call took how long', async () => {
    await startDemoAgent(stage.console(), { session: 'timed' }).call('read_file', { path: 'README.md' })
    const page = await stage.open('/decisions?session_id=timed&action=call_executed')
    await page.getByRole('table').getByRole('link').first().click()
    const path = page.getByRole('region', { name: 'The way through the guard' })
    // The sink of the demo agent is the console, over HTTP: it has to be waited for.
    await expectShown(path.getByRole('listitem').filter({ hasText: /record passed [\d.]+ (µs|ms) waited/ }))
    await expectShown(path.getByRole('listitem').filter({ hasText: /judge passed (under )?\d+ ms tool ran/ }))
    expect(await path.getByRole('listitem').filter({ hasText: 'approve' }).textContent()).not.toMatch(/ms|µs/)
  })

  it.each([
    ['a desk, light', desk, 'light'],
    ['a phone, dark', phone, 'dark'],
  ] as const)('say why, by the version they were decided under, on %s', async (_name, size, colours) => {
    const cookie = await stage.console().logIn()
    const saved = await stage
      .console()
      .ask('/api/v1/bundles', { cookie, body: { yaml_content: explainedBundle } })
    expect([200, 201]).toContain(saved.status)
    const agent = startDemoAgent(stage.console(), { bundle: explainedBundle, name: `why-${size.width}` })
    await agent.call('send_mail', { to: 'eve@example.com', count: 3 })
    const page = await stage.open(`/decisions?agent_id=why-${size.width}&action=call_denied`, {
      size,
      colours,
    })
    await page.getByRole('table').getByRole('link').first().click()
    const why = page.getByRole('table', { name: 'Why' })
    await expectShown(why.getByRole('row', { name: /only-inside fired/ }))
    await expectShown(page.getByRole('listitem').filter({ hasText: /(µs|ms) judged again here/ }))
    await expectShown(
      why
        .getByRole('listitem')
        .filter({ hasText: 'args.to ends_with "@inside.example" false saw "eve@example.com"' }),
    )
    await expectShown(why.getByRole('listitem').filter({ hasText: 'args.count gt 5 false saw 3' }))
    await expectAccessible(page)
    await photograph(page, `decision-why-${size.width}`)
    await page.getByRole('link', { name: 'explained, version 1' }).click()
    expect(await page.getByLabel('Contracts in YAML').inputValue()).toBe(explainedBundle)
  })

  it('show how a call ended', async () => {
    const page = await stage.open('/decisions?action=call_executed&tool_name=read_file', { size: phone })
    await page.getByRole('table').getByRole('link').first().click()
    await expectShown(page.getByText('succeeded'))
    await expectShown(
      page.getByRole('table', { name: 'Events of this call, oldest first' }).getByText('Allowed'),
    )
    await expectAccessible(page)
    await photograph(page, 'decision-phone')
  })

  it('come in pages', async () => {
    const now = Date.now()
    const events = Array.from({ length: 60 }, (_, number) => ({
      timestamp: new Date(now - number * 1_000).toISOString(),
      tool_name: `paged-${number}`,
      action: 'call_allowed',
      session_id: 's-pages',
      call_id: `p${number}`,
    }))
    await stage.console().ask('/api/edictum/v1/events', { body: { events } })
    const page = await stage.open('/decisions?session_id=s-pages')
    await expectShown(page.getByText('paged-49'))
    expect(await page.getByText('paged-50').count()).toBe(0)
    await page.getByRole('button', { name: 'Older' }).click()
    await expectShown(page.getByText('paged-50'))
    await page.getByRole('button', { name: 'Newest' }).click()
    await expectShown(page.getByText('paged-0'))
  })
})

describe('a hostile event', () => {
  const markup = '<img src=x onerror="alert(1)"><script>alert(2)</script><b>bold</b>'
  const reordering = 'safe\u202Egpj.exe\u0000\u001b[2J\u200b'
  const names = ['__proto__', 'constructor', 'toString']

  async function sendHostileEvents(): Promise<void> {
    const events = [
      { tool_name: markup, reason: reordering, decision_name: markup, tool_args: { [markup]: markup } },
      { tool_name: reordering, reason: markup, tool_args: reordering, contracts_evaluated: 'not a list' },
      { tool_name: 'megabyte', reason: 'A'.repeat(1_000_000), tool_args: { x: 1 } },
      { tool_name: 'megabyte-2', reason: 'x', tool_args: { text: '\u202e'.repeat(300_000) } },
      ...names.map((name) => ({
        tool_name: name,
        action: name,
        mode: name,
        contracts_evaluated: [null, 7, name],
      })),
    ].map((fields, number) => ({
      timestamp: new Date().toISOString(),
      action: 'call_denied',
      session_id: markup,
      agent_id: markup,
      call_id: `hostile-${number}`,
      principal: { user_id: markup },
      ...fields,
    }))
    const { body, status } = await stage.console().ask('/api/edictum/v1/events', { body: { events } })
    expect([status, body.accepted]).toEqual([200, events.length])
  }

  it.each([
    ['a desk', desk],
    ['a phone', phone],
  ] as const)('is shown harmlessly on %s', async (_name, size) => {
    await sendHostileEvents()
    const page = await stage.open(`/decisions?${new URLSearchParams({ agent_id: markup }).toString()}`, {
      size,
    })
    await expectShown(page.getByText('megabyte', { exact: true }))
    await expectShown(page.getByText('U+202E'))
    expect(await page.locator('main b, main img, main script').count()).toBe(0)
    await expectAccessible(page)
    await photograph(page, `hostile-${size.width}`)
    const addresses = await page
      .getByRole('table')
      .getByRole('link')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href')))
    expect(new Set(addresses).size).toBeGreaterThanOrEqual(7)
    for (const address of new Set(addresses)) {
      await page.goto(stage.console().url + String(address))
      await expectShown(page.getByRole('heading', { name: 'All events of this call' }))
      await page.getByText('The event as it came').click()
      await expectShown(page.getByRole('region', { name: 'Event', exact: true }))
      expect(await page.locator('main b, main img, main script').count()).toBe(0)
    }
    await expectAccessible(page)
  })

  it('of a megabyte is shown in parts', async () => {
    await sendHostileEvents()
    const page = await stage.open('/decisions?tool_name=megabyte')
    await page.getByRole('table').getByRole('link').first().click()
    await page.getByText('The event as it came').click()
    await page.getByRole('button', { name: /^Show 20,000 of/ }).click()
    await expect
      .poll(
        async () => (await page.getByRole('region', { name: 'Event', exact: true }).textContent())?.length,
      )
      .toBe(24_000)
  })
})
