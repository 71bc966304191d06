// Keys of agents and programs.
import { type FormEvent, type ReactNode, useState } from 'react'
import { request } from '../../data/request.js'
import { useAction } from '../../data/use-action.js'
import { useResource } from '../../data/use-resource.js'
import { useMay } from '../../data/use-visitor.js'
import { ActionButton } from '../../parts/button.js'
import { ConfirmButton } from '../../parts/confirm.js'
import { EnvironmentField } from '../../parts/environment-field.js'
import { Field } from '../../parts/field.js'
import { readForm } from '../../parts/form-values.js'
import { Ago, Moment } from '../../parts/moment.js'
import { Page } from '../../parts/page.js'
import { ShownOnce } from '../../parts/shown-once.js'
import { Empty, Failure, Loaded } from '../../parts/states.js'
import { Table } from '../../parts/table.js'
import { UntrustedText } from '../../parts/untrusted-text.js'

interface Key {
  readonly id: string
  readonly prefix: string
  readonly env: string
  readonly label: string | null
  readonly scopes: readonly string[]
  readonly agent_pattern: string | null
  readonly created_by: string
  readonly created_at: string
  readonly expires_at: string | null
  readonly last_used_at: string | null
}

const scopes = [
  ['agent', 'What an agent needs: events, approvals, sessions, bundles'],
  ['ingest', 'Only deliver events'],
  ['read', 'Read everything'],
  ['approve', 'Decide approvals'],
  ['publish', 'Upload and deploy contracts'],
] as const

export function KeysPage(): ReactNode {
  const keys = useResource<readonly Key[]>('/api/v1/keys')
  const mayAdminister = useMay('administer')
  return (
    <Page title="Keys">
      {mayAdminister && <NewKey />}
      <h2>Keys in force</h2>
      <Loaded resource={keys} what="keys">
        {(list) =>
          list.length === 0 ? (
            <Empty title="There is no key.">
              Without one no agent can reach the console. Make one above.
            </Empty>
          ) : (
            <Table
              label="Keys in force"
              headings={[
                'Key',
                'Label',
                'Environment',
                'May',
                'Agents',
                'Made',
                'Last used',
                'Ends',
                'Action',
              ]}
            >
              {list.map((key) => (
                <KeyRow key={key.id} shown={key} mayRevoke={mayAdminister} />
              ))}
            </Table>
          )
        }
      </Loaded>
    </Page>
  )
}

function KeyRow({ shown, mayRevoke }: { shown: Key; mayRevoke: boolean }): ReactNode {
  const revoke = useAction<void, unknown>(() => request(`/api/v1/keys/${shown.id}`, { method: 'DELETE' }))
  return (
    <tr>
      <td>
        <code>{shown.prefix}…</code>
      </td>
      <td>
        <UntrustedText text={shown.label ?? ''} most={80} />
      </td>
      <td>{shown.env}</td>
      <td>{shown.scopes.join(', ')}</td>
      <td>{shown.agent_pattern ?? 'any'}</td>
      <td>
        <Moment at={shown.created_at} /> by <UntrustedText text={shown.created_by} most={40} />
      </td>
      <td>{shown.last_used_at === null ? 'never' : <Ago at={shown.last_used_at} />}</td>
      <td>{shown.expires_at === null ? 'never' : <Moment at={shown.expires_at} />}</td>
      <td>
        {mayRevoke && (
          <ConfirmButton
            label="Revoke"
            title={`Revoke ${shown.prefix}…`}
            consequence="Whoever uses this key is refused from now on, and what it has open is cut. Agents that have no other key deny their calls or run on what they last received, as they are configured. This cannot be undone."
            action={revoke}
          />
        )}
      </td>
    </tr>
  )
}

function NewKey(): ReactNode {
  const [made, setMade] = useState<string>()
  const make = useAction(
    (body: object) => request<Key & { key: string }>('/api/v1/keys', { method: 'POST', body }),
    ({ key }) => setMade(key),
  )
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const form = event.currentTarget
    const valueOf = readForm(form)
    const days = Number(valueOf('days'))
    const chosen = scopes.map(([scope]) => scope).filter((scope) => valueOf(scope) === 'on')
    make.run({
      env: valueOf('env'),
      label: valueOf('label') === '' ? null : valueOf('label'),
      scopes: chosen.length === 0 ? ['agent'] : chosen,
      agent_pattern: valueOf('pattern') === '' ? null : valueOf('pattern'),
      expires_at: days > 0 ? new Date(Date.now() + days * 86_400_000).toISOString() : null,
    })
  }
  return (
    <details>
      <summary>Make a key</summary>
      <form onSubmit={submit} className="narrow">
        <EnvironmentField />
        <Field label="Label" hint="Where it is used, so that you know later what to revoke.">
          {(control) => <input {...control} name="label" maxLength={255} />}
        </Field>
        <Field label="Only for agents" hint="A pattern such as billing-*; empty for any.">
          {(control) => <input {...control} name="pattern" pattern="[A-Za-z0-9._*\-]{1,128}" />}
        </Field>
        <Field label="Ends after days" hint="Empty: never.">
          {(control) => <input {...control} name="days" type="number" min={1} max={3_650} />}
        </Field>
        <fieldset>
          <legend>May</legend>
          {scopes.map(([scope, meaning]) => (
            <label key={scope}>
              <input type="checkbox" name={scope} defaultChecked={scope === 'agent'} />{' '}
              <strong>{scope}</strong> <span className="muted">{meaning}</span>
            </label>
          ))}
        </fieldset>
        {make.failure !== undefined && <Failure failure={make.failure} />}
        <ActionButton type="submit" className="primary" isRunning={make.isRunning}>
          Make the key
        </ActionButton>
      </form>
      {made !== undefined && <ShownOnce label="The new key." secret={made} />}
    </details>
  )
}
