import { type ReactNode, useEffect } from 'react'
import { request } from '../../data/request.js'
import { useAction } from '../../data/use-action.js'
import { navigate } from '../../navigation/router.js'
import { ActionButton } from '../../parts/button.js'
import { Failure } from '../../parts/states.js'

/** Where a login link leads. It takes a click, because programs open links in messages too. */
export function LoginLink({ token }: { token: string }): ReactNode {
  useEffect(() => {
    document.title = 'Log in · Edictum'
  }, [])
  const enter = useAction(
    () => request(`/login/${encodeURIComponent(token)}`, { method: 'POST' }),
    () => navigate('/', 'replace'),
  )
  return (
    <main className="alone">
      <h1>Edictum console</h1>
      <p>This link logs you in once.</p>
      <ActionButton className="primary" isRunning={enter.isRunning} onClick={enter.run}>
        Log in
      </ActionButton>
      {enter.failure !== undefined && (
        <>
          <Failure failure={enter.failure} />
          <p>
            <a href="/">Log in with a password</a>, or ask an administrator for a new link.
          </p>
        </>
      )}
    </main>
  )
}
