import { describe, it } from 'vitest'
import { desk, enterOn, expectAccessible, expectShown, phone, photograph, useBrowser } from './browser.js'
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

  it('say when agents brought their contracts with them', async () => {
    const page = await stage.open('/contracts')
    await enterOn(page, page.getByRole('link', { name: 'no-secrets' }))
    await expectShown(page.getByRole('heading', { name: 'no-secrets: enforced and on trial' }))
    await expectShown(page.getByText('Its text is not stored here.'))
  })

  it.each([
    ['a desk, light', desk, 'light'],
    ['a phone, dark', phone, 'dark'],
  ] as const)('are read side by side with what is enforced, on %s', async (_name, size, colours) => {
    const cookie = await stage.console().logIn()
    const enforced = candidate
      .replace(', ".pem"', '')
      .replace('observe_alongside: true\n', '')
      .replace('stricter', 'firm')
    for (const yaml_content of [candidate, enforced])
      await stage.console().ask('/api/v1/bundles', { cookie, body: { yaml_content } })
    const page = await stage.open('/contracts-candidate/no-secrets', { size, colours })
    await expectShown(page.getByRole('list', { name: 'What is different' }))
    await expectShown(page.getByRole('group', { name: 'Text of the candidate' }).getByText('added: '))
    await expectShown(
      page.getByRole('group', { name: 'Text of the enforced contract' }).getByText('removed: '),
    )
    await expectAccessible(page)
    await photograph(page, `candidate-texts-${size.width}`)
  })
})
