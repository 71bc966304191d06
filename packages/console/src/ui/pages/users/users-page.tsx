// The people who use the console.
import { type FormEvent, type ReactNode, useState } from 'react'
import { type UserRole, userRoles } from '../../../protocol/visitor.js'
import { request } from '../../data/request.js'
import { useAction } from '../../data/use-action.js'
import { useResource } from '../../data/use-resource.js'
import { useUser } from '../../data/use-visitor.js'
import { ActionButton } from '../../parts/button.js'
import { ConfirmButton } from '../../parts/confirm.js'
import { Field } from '../../parts/field.js'
import { readForm } from '../../parts/form-values.js'
import { Moment } from '../../parts/moment.js'
import { Page } from '../../parts/page.js'
import { ShownOnce } from '../../parts/shown-once.js'
import { Failure, Loaded } from '../../parts/states.js'
import { Table } from '../../parts/table.js'
import { UntrustedText } from '../../parts/untrusted-text.js'

interface ListedUser {
  readonly id: string
  readonly email: string
  readonly role: UserRole
  readonly created_at: string
  readonly has_password: boolean
}

const meanings: Record<UserRole, string> = {
  viewer: 'looks',
  approver: 'looks, decides approvals',
  publisher: 'looks, publishes contracts',
  admin: 'everything',
}

export function UsersPage(): ReactNode {
  const users = useResource<readonly ListedUser[]>('/api/v1/users')
  const [link, setLink] = useState<string>()
  return (
    <Page title="Users">
      <NewUser onLink={setLink} />
      {link !== undefined && (
        <ShownOnce label="Pass this login link on; it opens once, within 24 hours." secret={link} />
      )}
      <h2>Who has access</h2>
      <Loaded resource={users} what="users">
        {(list) => (
          <Table label="Users" headings={['E-mail address', 'Role', 'Since', 'Password', 'Actions']}>
            {list.map((user) => (
              <UserRow key={user.id} user={user} onLink={setLink} />
            ))}
          </Table>
        )}
      </Loaded>
    </Page>
  )
}

function UserRow({ user, onLink }: { user: ListedUser; onLink: (link: string) => void }): ReactNode {
  const self = useUser()
  const path = `/api/v1/users/${user.id}`
  const remove = useAction<void, unknown>(() => request(path, { method: 'DELETE' }))
  const invite = useAction<void, { login_link: string }>(
    () => request(`${path}/login-link`, { method: 'POST' }),
    ({ login_link: link }) => onLink(link),
  )
  return (
    <tr>
      <td>
        <UntrustedText text={user.email} />
        {invite.failure !== undefined && <Failure failure={invite.failure} />}
      </td>
      <td>
        {user.id === self.id ? (
          `${user.role}: ${meanings[user.role]}`
        ) : (
          <RoleChoice user={user} path={path} />
        )}
      </td>
      <td>
        <Moment at={user.created_at} />
      </td>
      <td>{user.has_password ? 'set' : 'not yet'}</td>
      <td>
        <div className="buttons">
          <ActionButton isRunning={invite.isRunning} onClick={() => invite.run()}>
            New login link
          </ActionButton>
          {user.id !== self.id && (
            <ConfirmButton
              label="Remove"
              title={`Remove ${user.email}`}
              consequence="They are logged out at once and cannot come back. What they decided stays on record."
              action={remove}
            />
          )}
        </div>
      </td>
    </tr>
  )
}

/** With keys, every role on the way to the chosen one is chosen for a moment; so choosing alone changes nothing. */
function RoleChoice({ user, path }: { user: ListedUser; path: string }): ReactNode {
  const [chosen, setChosen] = useState(user.role)
  const change = useAction<void, unknown>(() => request(path, { method: 'PATCH', body: { role: chosen } }))
  return (
    <div className="buttons">
      <select
        aria-label={`Role of ${user.email}`}
        value={chosen}
        onChange={({ target }) => setChosen(userRoles.find((role) => role === target.value) ?? user.role)}
      >
        <RoleOptions />
      </select>
      {chosen !== user.role && (
        <ConfirmButton
          label="Change the role"
          title={`Make ${user.email} ${chosen}`}
          consequence={`Until now: ${meanings[user.role]}. From now on: ${meanings[chosen]}. It holds at once, also where they are logged in.`}
          action={change}
        />
      )}
    </div>
  )
}

function RoleOptions(): ReactNode {
  return userRoles.map((role) => (
    <option key={role} value={role}>
      {role}: {meanings[role]}
    </option>
  ))
}

function NewUser({ onLink }: { onLink: (link: string) => void }): ReactNode {
  const add = useAction(
    (body: object) => request<{ login_link: string }>('/api/v1/users', { method: 'POST', body }),
    ({ login_link: link }) => onLink(link),
  )
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const valueOf = readForm(event.currentTarget)
    add.run({ email: valueOf('email'), role: valueOf('role') })
  }
  return (
    <details>
      <summary>Add somebody</summary>
      <form onSubmit={submit} className="narrow">
        <Field label="E-mail address">
          {(control) => <input {...control} name="email" type="email" autoComplete="off" required />}
        </Field>
        <Field label="Role">
          {(control) => (
            <select {...control} name="role" defaultValue="viewer">
              <RoleOptions />
            </select>
          )}
        </Field>
        {add.failure !== undefined && <Failure failure={add.failure} />}
        <ActionButton type="submit" className="primary" isRunning={add.isRunning}>
          Add
        </ActionButton>
      </form>
    </details>
  )
}
