// What a channel is told: where it leads, and which questions go through it.
import { type FormEvent, type ReactNode, useState } from 'react'
import type {
  ChannelType,
  NotificationChannel,
  NotificationFilters,
} from '../../../protocol/notifications.js'
import type { Action } from '../../data/use-action.js'
import { ActionButton } from '../../parts/button.js'
import { Field } from '../../parts/field.js'
import { readForm } from '../../parts/form-values.js'
import { Failure } from '../../parts/states.js'

export interface ChannelWish {
  readonly name: string
  readonly channel_type: ChannelType
  readonly config?: Readonly<Record<string, string>>
  readonly filters: NotificationFilters
}

const addressFields: Record<ChannelType, string> = { webhook: 'url', slack: 'webhook_url' }

const filterFields = [
  ['environments', 'Only environments', 'production, staging-*'],
  ['agent_patterns', 'Only agents', 'billing-*'],
  ['contract_names', 'Only contracts', 'deploys-need-consent'],
] as const

/** For a new channel, or to change one: its address is not shown again, so an empty field keeps it. */
export function ChannelForm({
  channel,
  action,
  label,
}: {
  channel?: NotificationChannel
  action: Action<ChannelWish>
  label: string
}): ReactNode {
  const [type, setType] = useState<ChannelType>(channel?.channel_type ?? 'webhook')
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const valueOf = readForm(event.currentTarget)
    const address = valueOf('address')
    const filters = Object.fromEntries(filterFields.map(([name]) => [name, listOf(valueOf(name))]))
    action.run({
      name: valueOf('name'),
      channel_type: type,
      ...(address === '' ? {} : { config: { [addressFields[type]]: address } }),
      filters,
    })
  }
  return (
    <form onSubmit={submit} className="narrow">
      <Field label="Name" hint="What people call it, such as “on call”.">
        {(control) => (
          <input {...control} name="name" maxLength={100} defaultValue={channel?.name ?? ''} required />
        )}
      </Field>
      {channel === undefined && (
        <Field label="Kind">
          {(control) => (
            <select
              {...control}
              value={type}
              onChange={({ target }) => setType(target.value === 'slack' ? 'slack' : 'webhook')}
            >
              <option value="webhook">Webhook of yours, signed</option>
              <option value="slack">Slack, by an incoming webhook</option>
            </select>
          )}
        </Field>
      )}
      <Field
        label="Address"
        hint={
          channel === undefined
            ? 'Kept sealed, and shown to nobody afterwards.'
            : 'Empty: as it is. It is not shown, because whoever knows it can use it.'
        }
      >
        {(control) => (
          <input
            {...control}
            name="address"
            type="url"
            maxLength={2_000}
            autoComplete="off"
            required={channel === undefined}
          />
        )}
      </Field>
      {filterFields.map(([name, title, example]) => (
        <Field key={name} label={title} hint={`Names or patterns such as ${example}; empty for all.`}>
          {(control) => (
            <input {...control} name={name} defaultValue={channel?.filters[name]?.join(', ') ?? ''} />
          )}
        </Field>
      ))}
      {action.failure !== undefined && <Failure failure={action.failure} />}
      <ActionButton type="submit" className="primary" isRunning={action.isRunning}>
        {label}
      </ActionButton>
    </form>
  )
}

function listOf(text: string): readonly string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
}
