import { describe, it } from 'vitest'
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

  it('is only looked at by those who may not publish', async () => {
    const page = await stage.open('/fleet', { cookie: await stage.console().logInAs('viewer') })
    await expectShown(page.getByText('There is no rule.'))
    await expectGone(page.getByText('Add a rule'))
  })
})
