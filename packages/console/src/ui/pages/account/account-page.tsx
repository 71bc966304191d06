import { type FormEvent, type ReactNode, useState } from 'react'
import { request } from '../../data/request.js'
import { useAction } from '../../data/use-action.js'
import { useUser } from '../../data/use-visitor.js'
import { ActionButton } from '../../parts/button.js'
import { Field } from '../../parts/field.js'
import { Facts } from '../../parts/facts.js'
import { readForm } from '../../parts/form-values.js'
import { Page } from '../../parts/page.js'
import { Failure } from '../../parts/states.js'

export function AccountPage(): ReactNode {
  const user = useUser()
  return (
    <Page title="Your account">
      <Facts
        facts={[
          ['E-mail address', user.email],
          ['Role', user.role],
        ]}
      />
      <section aria-labelledby="password">
        <h2 id="password">{user.has_password ? 'Change your password' : 'Set a password'}</h2>
        <PasswordForm hasPassword={user.has_password} />
      </section>
    </Page>
  )
}

export function PasswordForm({ hasPassword }: { hasPassword: boolean }): ReactNode {
  const [isDone, setDone] = useState(false)
  const change = useAction(
    (body: { current_password?: string; password: string }) =>
      request('/api/v1/auth/password', { method: 'PUT', body }),
    () => setDone(true),
  )
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    setDone(false)
    const valueOf = readForm(event.currentTarget)
    const password = valueOf('password')
    change.run(hasPassword ? { current_password: valueOf('current'), password } : { password })
    event.currentTarget.reset()
  }
  return (
    <form onSubmit={submit} className="narrow">
      {hasPassword && (
        <Field label="Current password">
          {(control) => (
            <input {...control} name="current" type="password" autoComplete="current-password" required />
          )}
        </Field>
      )}
      <Field label="New password" hint="12 characters or more. All your other sessions are ended.">
        {(control) => (
          <input
            {...control}
            name="password"
            type="password"
            autoComplete="new-password"
            minLength={12}
            required
          />
        )}
      </Field>
      {change.failure !== undefined && <Failure failure={change.failure} />}
      {isDone && <p role="status">The password is set.</p>}
      <ActionButton type="submit" className="primary" isRunning={change.isRunning}>
        Save
      </ActionButton>
    </form>
  )
}
