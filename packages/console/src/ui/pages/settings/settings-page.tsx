// What administrators decide for everybody: how long events are kept.
import { type FormEvent, type ReactNode, useState } from 'react'
import { request } from '../../data/request.js'
import { useAction } from '../../data/use-action.js'
import { useResource } from '../../data/use-resource.js'
import { ActionButton } from '../../parts/button.js'
import { ConfirmButton, ConfirmDialog } from '../../parts/confirm.js'
import { Facts } from '../../parts/facts.js'
import { Field } from '../../parts/field.js'
import { readForm } from '../../parts/form-values.js'
import { Page } from '../../parts/page.js'
import { Failure, Loaded } from '../../parts/states.js'

interface Health {
  readonly status: string
  readonly version: string
  readonly database: { readonly connected: boolean; readonly latency_ms: number; readonly dialect: string }
  readonly change_feed: string
  readonly held_connections: number
}

export function SettingsPage(): ReactNode {
  const health = useResource<Health>('/api/v1/health/details')
  const retention = useResource<{ readonly event_days: number | null }>('/api/v1/settings/retention')
  return (
    <Page title="Settings">
      <section aria-labelledby="retention">
        <h2 id="retention">How long events are kept</h2>
        <Loaded resource={retention} what="the settings">
          {({ event_days: days }) => <Retention days={days} />}
        </Loaded>
        <Purge />
      </section>
      <section aria-labelledby="health">
        <h2 id="health">The server</h2>
        <Loaded resource={health} what="the state of the server">
          {({ status, version, database, change_feed: feed, held_connections: held }) => (
            <Facts
              facts={[
                ['State', status],
                ['Version', version],
                ['Database', `${database.dialect}, ${database.latency_ms} ms`],
                ['News between nodes', feed],
                ['Open streams and long polls', held],
              ]}
            />
          )}
        </Loaded>
      </section>
    </Page>
  )
}

function Retention({ days }: { days: number | null }): ReactNode {
  const [isSaved, setSaved] = useState(false)
  const save = useAction(
    (eventDays: number | null) =>
      request('/api/v1/settings/retention', { method: 'PUT', body: { event_days: eventDays } }),
    () => setSaved(true),
  )
  const [shorter, setShorter] = useState<number>()
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const text = readForm(event.currentTarget)('days')
    const wanted = text === '' ? null : Number(text)
    setSaved(false)
    if (wanted !== null && (days === null || wanted < days)) setShorter(wanted)
    else save.run(wanted)
  }
  return (
    <form onSubmit={submit} className="narrow">
      <Field label="Days" hint="Older events are removed within minutes. Empty: kept for ever.">
        {(control) => (
          <input
            {...control}
            key={days}
            name="days"
            type="number"
            min={1}
            max={36_500}
            defaultValue={days ?? ''}
          />
        )}
      </Field>
      {save.failure !== undefined && shorter === undefined && <Failure failure={save.failure} />}
      <div className="buttons">
        <ActionButton type="submit" className="primary" isRunning={save.isRunning}>
          Save
        </ActionButton>
        <span role="status">{isSaved && 'Saved.'}</span>
      </div>
      {shorter !== undefined && (
        <ConfirmDialog
          label="Save and remove"
          title={`Keep events for ${shorter} days`}
          consequence={`Within minutes, all events of every environment that are older than ${shorter} days are removed, with their counts, and from then on every day. This cannot be undone.`}
          action={save}
          onRun={() => save.run(shorter)}
          onClose={() => setShorter(undefined)}
        />
      )}
    </form>
  )
}

function Purge(): ReactNode {
  const [removed, setRemoved] = useState<number>()
  const purge = useAction<void, { deleted_count: number }>(
    () => request('/api/v1/settings/purge-events?older_than_days=90', { method: 'DELETE' }),
    ({ deleted_count: count }) => setRemoved(count),
  )
  return (
    <div className="buttons">
      <ConfirmButton
        label="Remove events older than 90 days"
        title="Remove old events"
        consequence="All events of every environment that are older than 90 days are removed now, with their counts. This cannot be undone."
        action={purge}
      />
      <span role="status">
        {removed !== undefined && `${removed.toLocaleString('en')} events were removed.`}
      </span>
    </div>
  )
}
