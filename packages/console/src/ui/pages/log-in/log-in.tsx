import { type FormEvent, type ReactNode, useEffect } from 'react'
import { request } from '../../data/request.js'
import { useAction } from '../../data/use-action.js'
import { ActionButton } from '../../parts/button.js'
import { Field } from '../../parts/field.js'
import { readForm } from '../../parts/form-values.js'
import { Failure } from '../../parts/states.js'

export function LogIn(): ReactNode {
  useEffect(() => {
    document.title = 'Log in · Edictum'
  }, [])
  // What was asked for is shown afterwards: the address stays, and who is there is asked again.
  const enter = useAction((credentials: { email: string; password: string }) =>
    request('/api/v1/auth/login', { method: 'POST', body: credentials }),
  )
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const valueOf = readForm(event.currentTarget)
    enter.run({ email: valueOf('email'), password: valueOf('password') })
  }
  return (
    <main className="alone">
      <h1>Edictum console</h1>
      <form onSubmit={submit}>
        <Field label="E-mail address">
          {(control) => (
            <input {...control} name="email" type="text" inputMode="email" autoComplete="username" required />
          )}
        </Field>
        <Field label="Password">
          {(control) => (
            <input {...control} name="password" type="password" autoComplete="current-password" required />
          )}
        </Field>
        {enter.failure !== undefined && <Failure failure={enter.failure} />}
        <ActionButton type="submit" className="primary" isRunning={enter.isRunning}>
          Log in
        </ActionButton>
      </form>
      <p className="muted">
        No password yet? Open the login link that was printed when the console was started, or ask an
        administrator for one.
      </p>
    </main>
  )
}
