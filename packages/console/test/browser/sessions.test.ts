import { describe, expect, it } from 'vitest'
import { desk, expectAccessible, expectShown, phone, photograph, useBrowser } from './browser.js'
import { startDemoAgent } from './demo-agent.js'

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
})
