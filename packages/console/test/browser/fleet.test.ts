import { describe, it } from 'vitest'
import { contractBundle } from '../bundle-texts.js'
import { desk, expectAccessible, expectGone, expectShown, phone, photograph, useBrowser } from './browser.js'
import { startDemoAgent } from './demo-agent.js'

const stage = useBrowser()

describe('the fleet', () => {
  it.each([
    ['a desk, light', desk, 'light'],
    ['a phone, dark', phone, 'dark'],
  ] as const)(
    'shows every agent, and the tools no contract looks at, on %s',
    async (_name, size, colours) => {
      await startDemoAgent(stage.console(), { name: 'fleet-agent' }).call('read_file', { path: 'README.md' })
      const page = await stage.open('/fleet', { size, colours })
      await expectShown(page.getByRole('link', { name: 'fleet-agent' }))
      const coverage = page.getByRole('region', { name: 'What is under contracts' })
      await expectShown(coverage.getByRole('row', { name: /fleet-agent production 1 0 0 1 0 %/ }))
      await expectShown(coverage.getByRole('link', { name: 'read_file' }))
      await expectShown(page.getByText('There is no rule.'))
      await expectAccessible(page)
      await photograph(page, `fleet-${size.width}`)
    },
  )

  it('gets its bundles by rules, which are added and removed without a mouse', async () => {
    const cookie = await stage.console().logIn()
    const body = { yaml_content: contractBundle({ name: 'ruled' }) }
    await stage.console().ask('/api/v1/bundles', { cookie, body })
    const page = await stage.open('/fleet')
    await page.getByText('Add a rule').focus()
    await page.keyboard.press('Enter')
    await page.getByRole('textbox', { name: 'Agents' }).focus()
    await page.keyboard.type('fleet-*')
    await page.getByRole('textbox', { name: 'Bundle' }).focus()
    await page.keyboard.type('ruled')
    await page.keyboard.press('Enter')
    const row = page.getByRole('row', { name: /10 fleet-\* any production ruled/ })
    await expectShown(row)
    await expectAccessible(page)
    await photograph(page, 'fleet-rules')
    await row.getByRole('button', { name: 'Remove' }).focus()
    await page.keyboard.press('Enter')
    await expectShown(page.getByRole('dialog').getByText(/Agents it fits get what the next rule says/))
    await page.keyboard.press('Enter')
    await expectGone(row)
  })

  it('is only looked at by those who may not publish', async () => {
    const page = await stage.open('/fleet', { cookie: await stage.console().logInAs('viewer') })
    await expectShown(page.getByText('There is no rule.'))
    await expectGone(page.getByText('Add a rule'))
  })
})
