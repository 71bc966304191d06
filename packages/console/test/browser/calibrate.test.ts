import { describe, expect, it } from 'vitest'
import { desk, expectAccessible, expectShown, phone, photograph, useBrowser } from './browser.js'
import { startDemoAgent } from './demo-agent.js'

const watching = `
apiVersion: edictum/v1
kind: ContractBundle
metadata: { name: watching }
defaults: { mode: observe }
contracts:
  - id: no-secrets
    type: pre
    tool: read_file
    when: { args.path: { contains: ".env" } }
    then: { effect: deny, message: "Read of sensitive file denied: {args.path}" }
`

const stage = useBrowser()

/** What agents report takes a moment to arrive; the page counts when it is opened. */
async function arrivalOf(attempts: number, query: string): Promise<void> {
  const cookie = await stage.console().logIn()
  const ask = () => stage.console().ask(`/api/edictum/v1/calibration?${query}`, { cookie })
  await expect.poll(async () => (await ask()).body.attempts.most, { timeout: 30_000 }).toBe(attempts)
}

describe('calibrate', () => {
  it('says how to observe while nothing does', async () => {
    const page = await stage.open('/calibrate')
    await expectShown(page.getByText('No session ran in observe mode in this time.'))
    await expectAccessible(page)
  })

  it.each([
    ['a desk, light', desk, 'light'],
    ['a phone, dark', phone, 'dark'],
  ] as const)('shows what sessions do, with limits above that, on %s', async (_name, size, colours) => {
    for (const calls of [1, 2, 4]) {
      const session = `watched-${size.width}-${calls}`
      const agent = startDemoAgent(stage.console(), { bundle: watching, session, name: `a${size.width}` })
      for (let count = 0; count < calls; count++) await agent.call('read_file', { path: '.env' })
    }
    await arrivalOf(4, `agent_id=a${size.width}`)
    const page = await stage.open(`/calibrate?agent_id=a${size.width}`, { size, colours })
    const row = page.getByRole('table', { name: 'Per tool' }).getByRole('row', { name: /read_file/ })
    await expectShown(row)
    expect((await row.getByRole('cell').allTextContents()).filter((text) => text !== '')).toEqual([
      'read_file',
      '6',
      'none',
      '3',
      '2',
      '4',
      '4',
      '4',
    ])
    await expectShown(page.getByText('3 sessions. Few:'))
    await expectAccessible(page)
    await photograph(page, `calibrate-${size.width}`)
  })

  it('counts one environment when asked to', async () => {
    const page = await stage.open('/calibrate')
    await expectShown(page.getByText('6 sessions. Few:'))
    await page.getByLabel('Environment').selectOption('production')
    await expect.poll(() => new URL(page.url()).search).toBe('?env=production')
    await expectShown(page.getByText('6 sessions. Few:'))
    await page.goto(`${stage.console().url}/calibrate?env=nowhere`)
    await expectShown(page.getByText('No session ran in observe mode in this time.'))
    expect(await page.getByLabel('Environment').inputValue()).toBe('nowhere')
  })

  it('leads to a draft that loads, without a mouse', async () => {
    const page = await stage.open('/calibrate')
    const link = page.getByRole('link', { name: 'Make a draft of these limits' })
    await link.focus()
    await page.keyboard.press('Enter')
    await expectShown(page.getByText('The bundle session-limits loads: 1 contracts.'))
    await expectShown(page.getByText('Limits above what 6 sessions did.'))
    expect(await page.getByLabel('Contracts in YAML').inputValue()).toContain('read_file: 6')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Save as a new version' }).focus()
    await page.keyboard.press('Enter')
    await expectShown(page.getByRole('heading', { name: 'session-limits' }))
  })

  it('counts sessions that were enforced when asked to', async () => {
    await startDemoAgent(stage.console(), { session: 'enforced', name: 'other' }).call('read_file', {
      path: 'notes.txt',
    })
    await arrivalOf(1, 'agent_id=other')
    const page = await stage.open('/calibrate')
    await expectShown(page.getByText('6 sessions. Few:'))
    await page.getByLabel('Sessions', { exact: true }).selectOption('All')
    await expectShown(page.getByText('7 sessions. Few:'))
  })
})
