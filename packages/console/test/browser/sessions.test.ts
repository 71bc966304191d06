import { describe, expect, it } from 'vitest'
import { desk, expectAccessible, expectShown, phone, photograph, useBrowser } from './browser.js'
import { startDemoAgent } from './demo-agent.js'

const limited = `apiVersion: edictum/v1
kind: ContractBundle
metadata: { name: limited }
defaults: { mode: enforce }
contracts:
  - id: limits
    type: session
    limits: { max_tool_calls: 5, max_calls_per_tool: { write_file: 50 } }
    then: { effect: deny, message: "Enough" }
`

const stage = useBrowser()

describe('sessions', () => {
  it('say what to do while there are none', async () => {
    const page = await stage.open('/sessions')
    await expectShown(page.getByText('No session yet.'))
  })

  it.each([
    ['a desk, light', desk, 'light'],
    ['a phone, dark', phone, 'dark'],
  ] as const)('show who is stuck, and everything that happened, on %s', async (_name, size, colours) => {
    const session = `team-${size.width}`
    const agent = startDemoAgent(stage.console(), { session, name: `agent-${size.width}` })
    await agent.call('write_file', { path: 'notes.txt' })
    for (let count = 0; count < 5; count++) await agent.call('read_file', { path: '.env' })
    const page = await stage.open('/sessions', { size, colours })
    const row = page.getByRole('row', { name: new RegExp(`agent-${size.width}`) })
    await expectShown(row.getByText('stuck?'))
    expect(await row.getByRole('cell').allTextContents()).toEqual(
      expect.arrayContaining([session, '6', '5', '0']),
    )
    await expectAccessible(page)
    await photograph(page, `sessions-${size.width}`)
    await page.getByRole('link', { name: session }).click()
    const tools = page.getByRole('table', { name: 'By tool' })
    await expectShown(tools.getByRole('row', { name: 'read_file 5 0 5' }))
    await expectShown(tools.getByRole('row', { name: 'write_file 1 1 0' }))
    await expectShown(page.getByRole('table', { name: 'What happened, newest first' }).getByText('Executed'))
    await expectAccessible(page)
    await photograph(page, `session-${size.width}`)
  })

  it('that nobody has heard of are said to be unknown', async () => {
    stage.expectComplaint(/404/)
    const page = await stage.open('/sessions/never')
    await expectShown(page.getByText('session not found'))
  })

  it.each([
    ['a desk, light', desk, 'light'],
    ['a phone, dark', phone, 'dark'],
  ] as const)('show counters against limits, and who is near one, on %s', async (_name, size, colours) => {
    const cookie = await stage.console().logIn()
    const saved = await stage.console().ask('/api/v1/bundles', { cookie, body: { yaml_content: limited } })
    expect([200, 201]).toContain(saved.status)
    const session = `limited-${size.width}`
    const agent = startDemoAgent(stage.console(), { bundle: limited, session, name: `near-${size.width}` })
    for (let count = 0; count < 4; count++) await agent.call('write_file', { path: 'notes.txt' })
    const page = await stage.open('/', { size, colours })
    const near = page.getByRole('region', { name: 'Sessions near their limits' })
    const entry = near.getByRole('listitem').filter({ hasText: session })
    await expectShown(entry.getByText('Calls that ran: 4 of 5'))
    await expectAccessible(page)
    await photograph(page, `overview-limits-${size.width}`)
    await near.getByRole('link', { name: session }).focus()
    await page.keyboard.press('Enter')
    await expectShown(page.getByText('Attempts: 4 of 500 (where the program sets none)'))
    await expectShown(page.getByText('Calls of write_file: 4 of 50'))
    await expectAccessible(page)
    await photograph(page, `session-limits-${size.width}`)
    await page.getByRole('link', { name: 'limited, version 1' }).click()
    await expectShown(page.getByRole('heading', { name: 'Edit limited' }))
  })
})
