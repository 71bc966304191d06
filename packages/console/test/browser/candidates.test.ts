import { describe, it } from 'vitest'
import { desk, expectAccessible, expectShown, phone, photograph, useBrowser } from './browser.js'
import { startDemoAgent } from './demo-agent.js'

const stage = useBrowser()

describe('candidates', () => {
  const candidate = `apiVersion: edictum/v1
kind: ContractBundle
metadata: { name: stricter }
observe_alongside: true
defaults: { mode: enforce }
contracts:
  - id: no-secrets
    type: pre
    tool: read_file
    when: { args.path: { contains_any: [".env", ".pem"] } }
    then: { effect: deny, message: "Keys as well: {args.path}" }
`

  it.each([
    ['a desk, light', desk, 'light'],
    ['a phone, dark', phone, 'dark'],
  ] as const)('are shown beside what is enforced, on %s', async (_name, size, colours) => {
    const page = await stage.open('/contracts', { size, colours })
    const agent = startDemoAgent(stage.console(), { candidate, name: `trial-${size.width}` })
    for (const path of ['README.md', 'server.pem', '.env']) await agent.call('read_file', { path })
    const table = page.getByRole('table', { name: 'Candidates, last seven days' })
    const calls = size === desk ? 1 : 2
    const shown = size === desk ? '1 call' : '2 calls'
    await expectShown(
      table.getByRole('row', {
        name: new RegExp(`no-secrets ${shown} ${calls} ${calls} .*read_file: ${calls} of ${2 * calls}`),
      }),
    )
    await expectAccessible(page)
    await photograph(page, `candidates-${size.width}`)
    await table.getByRole('link', { name: shown }).focus()
    await page.keyboard.press('Enter')
    await expectShown(
      page.getByRole('table', { name: 'Decisions, newest first' }).getByText('Keys as well: server.pem'),
    )
  })
})
