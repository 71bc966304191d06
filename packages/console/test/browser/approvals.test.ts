import { describe, expect, it } from 'vitest'
import { desk, expectAccessible, expectShown, phone, photograph, useBrowser } from './browser.js'
import { startDemoAgent } from './demo-agent.js'

const stage = useBrowser()
const deploy = (service: string): Promise<string> =>
  startDemoAgent(stage.console()).call('deploy', { service, target: 'production', replicas: 3 })

async function pendingId(): Promise<string> {
  const cookie = await stage.console().logIn()
  const list = async () => (await stage.console().ask('/api/edictum/v1/approvals', { cookie })).body.approvals
  await expect.poll(async () => (await list()).length).toBe(1)
  return (await list())[0].id
}

describe('approvals', () => {
  it('show what exactly is asked, and let the call run when somebody approves', async () => {
    const call = deploy('payments')
    const page = await stage.open('/approvals')
    const card = page.getByRole('article', { name: 'deploy, waiting' })
    await expectShown(card.getByText('Deploy payments to production?'))
    expect(JSON.parse((await card.getByRole('region', { name: 'Arguments' }).textContent()) ?? '')).toEqual({
      service: 'payments',
      target: 'production',
      replicas: 3,
    })
    await expectShown(card.getByText('The call is denied if nobody decides'))
    await expectAccessible(page)
    await photograph(page, 'approvals-desk')
    await card.getByLabel('Reason').fill('change 4711')
    await card.getByRole('button', { name: 'Approve and run' }).click()
    expect(await call).toBe('done: deploy')
    await expectShown(page.getByText('Approved: deploy'))
    await page.getByRole('link', { name: 'deploy' }).click()
    await expectShown(page.getByText('Approved by admin@localhost; the call was allowed to run.'))
    await expectShown(page.getByText('change 4711'))
    await expectAccessible(page)
  })

  it('are denied on a phone, from the link of a notification', async () => {
    const call = deploy('search')
    const page = await stage.open(`/approvals/${await pendingId()}`, { size: phone, colours: 'dark' })
    await page.getByLabel('Reason').fill('not on a Friday')
    await expectAccessible(page)
    await photograph(page, 'approval-phone')
    await page.getByRole('button', { name: 'Deny' }).click()
    await expectShown(page.getByText('Denied by admin@localhost; the call did not run.'))
    expect(await call).toContain('not on a Friday')
  })

  it('are decided with keys alone', async () => {
    const call = deploy('mail')
    const page = await stage.open('/approvals')
    await page.getByLabel('Reason').focus()
    await page.keyboard.type('by keyboard')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    expect(await call).toBe('done: deploy')
    await expectShown(page.getByText('Approved: deploy'))
    expect(await page.evaluate('document.activeElement.getAttribute("role")')).toBe('status')
  })

  it('say that somebody else was quicker', async () => {
    stage.expectComplaint(/409/)
    const call = deploy('cache')
    const id = await pendingId()
    const page = await stage.open(`/approvals/${id}`)
    await expectShown(page.getByRole('button', { name: 'Deny' }))
    await page.route('**/api/edictum/v1/approvals/*', (route) => route.abort())
    stage.expectComplaint(/ERR_FAILED/)
    await stage.console().ask(`/api/edictum/v1/approvals/${id}/decide`, {
      cookie: await stage.console().logIn(),
      body: { decision: 'approved' },
    })
    await page.getByRole('button', { name: 'Deny' }).click()
    await expectShown(page.getByText('Somebody else was quicker.'))
    await call
  })

  it('are only looked at by those who may not decide', async () => {
    const call = deploy('billing')
    const page = await stage.open('/approvals', { cookie: await stage.console().logInAs('viewer') })
    await expectShown(page.getByText('Your role can look, but not decide.'))
    expect(await page.getByRole('button', { name: 'Deny' }).count()).toBe(0)
    await stage.console().ask(`/api/edictum/v1/approvals/${await pendingId()}/decide`, {
      cookie: await stage.console().logIn(),
      body: { decision: 'denied' },
    })
    await call
  })

  it('say loudly when the call runs although nobody decides, and what became of it', async () => {
    await stage.console().ask('/api/edictum/v1/approvals', {
      body: {
        tool_name: 'restart',
        tool_args: {},
        message: 'Restart?',
        timeout: 4,
        timeout_effect: 'allow',
        args_hash: 'abc',
      },
    })
    const page = await stage.open(`/approvals/${await pendingId()}`, { size: desk })
    await expectShown(page.getByText('The call runs if nobody decides'))
    await expectShown(page.getByText('Nobody decided in time; the call was allowed to run.'))
  })

  it('that are settled come in pages', async () => {
    for (let count = 0; count < 30; count++) {
      await stage.console().ask('/api/edictum/v1/approvals', {
        body: {
          tool_name: `old-${count}`,
          tool_args: {},
          message: 'Old?',
          timeout: 0.001,
          timeout_effect: 'deny',
          args_hash: 'abc',
        },
      })
    }
    const page = await stage.open('/approvals', { size: phone })
    await expectShown(page.getByRole('link', { name: 'old-29' }))
    expect(await page.getByRole('link', { name: 'old-2', exact: true }).count()).toBe(0)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Older' }).click()
    await expectShown(page.getByRole('link', { name: 'old-2', exact: true }))
    await photograph(page, 'approvals-phone')
    await page.getByRole('button', { name: 'Newest' }).click()
    await expectShown(page.getByRole('link', { name: 'old-29' }))
  })
})
