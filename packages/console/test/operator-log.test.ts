// The record of what people did shows when somebody has changed it.
import { expect, it } from 'vitest'
import { describeOnBothStores } from './dialects.js'
import type { TestConsole } from './test-console.js'

const verification = '/api/v1/operator-log/verification'

describeOnBothStores('the operator log', (console) => {
  const database = () => console().running.services.store.database

  /** Three entries more, oldest first. */
  async function act(): Promise<readonly { id: number; hash: string }[]> {
    for (const label of ['one', 'two', 'three']) await console().makeKey({ env: 'production', label })
    const { entries } = (
      await console().ask('/api/v1/operator-log?limit=3', { cookie: await console().logIn() })
    ).body as { entries: readonly { id: number; hash: string }[] }
    return entries.toReversed()
  }

  async function verify(known?: string): Promise<Awaited<ReturnType<TestConsole['ask']>>['body']> {
    const query = known === undefined ? '' : `?known=${known}`
    return (await console().ask(verification + query, { cookie: await console().logIn() })).body
  }

  it('is intact as it was written, also by many at once', async () => {
    await Promise.all(Array.from({ length: 20 }, () => console().makeKey({ env: 'production' })))
    const [, , last] = await act()
    expect(await verify()).toMatchObject({
      intact: true,
      unchained: 0,
      first_broken: null,
      head: { id: last!.id, hash: last!.hash },
      has_known: null,
    })
  })

  it('shows the first entry that was changed, and is whole again when that is undone', async () => {
    const [, second] = await act()
    const setActor = (actor: string) =>
      database().run('UPDATE operator_log SET actor = ? WHERE id = ?', [actor, second!.id])
    await setActor('somebody@else')
    expect(await verify()).toMatchObject({ intact: false, first_broken: second!.id })
    await setActor('admin@localhost')
    expect(await verify()).toMatchObject({ intact: true, first_broken: null })
  })

  it('shows the entry behind one that was taken out', async () => {
    const [, second, third] = await act()
    await database().run('UPDATE operator_log SET tenant = -1 WHERE id = ?', [second!.id])
    expect(await verify()).toMatchObject({ intact: false, first_broken: third!.id })
    await database().run('UPDATE operator_log SET tenant = 1 WHERE id = ?', [second!.id])
    expect(await verify()).toMatchObject({ intact: true })
  })

  it('shows that its end was cut off to whoever noted the head', async () => {
    const [, , last] = await act()
    expect(await verify(last!.hash)).toMatchObject({ intact: true, has_known: true })
    await database().run('DELETE FROM operator_log WHERE id = ?', [last!.id])
    expect(await verify()).toMatchObject({ intact: true })
    expect(await verify(last!.hash)).toMatchObject({ intact: false, has_known: false, first_broken: null })
  })

  it('says nothing about entries of versions that did not chain them, and begins behind them', async () => {
    await database().run('UPDATE operator_log SET tenant = -1')
    await database().run(
      'INSERT INTO operator_log (tenant, at, actor, action, subject, detail) VALUES (?, ?, ?, ?, ?, ?)',
      [1, 0, 'admin@localhost', 'key.create', 'old', '{}'],
    )
    const [first] = await act()
    expect(await verify()).toMatchObject({ intact: true, unchained: 1, entries: 4 })
    await database().run('UPDATE operator_log SET hash = NULL WHERE id = ?', [first!.id])
    expect(await verify()).toMatchObject({ intact: false })
  })

  it('is verified for administrators alone', async () => {
    expect((await console().ask(verification, { cookie: await console().logInAs('viewer') })).status).toBe(
      403,
    )
    expect((await console().ask(verification)).status).toBe(401)
  })
})
