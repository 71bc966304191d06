// One channel: whether it works, everything that was said through it, and what still waits to be said.
import { type ReactNode, useEffect, useState } from 'react'
import type { NotificationChannel, NotificationDelivery } from '../../../protocol/notifications.js'
import { request } from '../../data/request.js'
import { useAction } from '../../data/use-action.js'
import { useResource } from '../../data/use-resource.js'
import { useMay } from '../../data/use-visitor.js'
import { Link } from '../../navigation/router.js'
import { Badge, type Tone } from '../../parts/badge.js'
import { ActionButton } from '../../parts/button.js'
import { Facts } from '../../parts/facts.js'
import { Moment } from '../../parts/moment.js'
import { Page } from '../../parts/page.js'
import { Empty, Failure, Loaded } from '../../parts/states.js'
import { Table } from '../../parts/table.js'
import { UntrustedText } from '../../parts/untrusted-text.js'
import { ChannelForm, type ChannelWish } from './channel-form.js'
import { addressOf, ChannelState, LastTest, saysFilters } from './channel-words.js'
import { channelsPath } from './notifications-page.js'

const waitingLookMs = 2_000

export function ChannelPage({ id }: { id: string }): ReactNode {
  const channels = useResource<readonly NotificationChannel[]>(channelsPath)
  return (
    <Page title="Channel">
      <p>
        <Link to="/notifications">All channels</Link>
      </p>
      <Loaded resource={channels} what="the channel">
        {(list) => {
          const channel = list.find((one) => one.id === id)
          return channel === undefined ? (
            <Empty title="There is no such channel.">It may have been removed.</Empty>
          ) : (
            <Details channel={channel} />
          )
        }}
      </Loaded>
    </Page>
  )
}

function Details({ channel }: { channel: NotificationChannel }): ReactNode {
  const mayAdminister = useMay('administer')
  return (
    <>
      <Facts
        facts={[
          ['Name', <UntrustedText key="name" text={channel.name} />],
          ['State', <ChannelState key="state" channel={channel} />],
          ['Kind', channel.channel_type],
          ['Leads to', <UntrustedText key="address" text={addressOf(channel)} />],
          ['Signed', channel.config['secret'] === undefined ? 'no' : 'yes, with a secret'],
          ['Tells', <UntrustedText key="filters" text={saysFilters(channel)} />],
          ['Last test', <LastTest key="test" channel={channel} />],
          ['Since', <Moment key="since" at={channel.created_at} />],
        ]}
      />
      {mayAdminister && <Administration channel={channel} />}
      <h2>What was sent, newest first</h2>
      <Deliveries id={channel.id} />
    </>
  )
}

function Administration({ channel }: { channel: NotificationChannel }): ReactNode {
  const path = `${channelsPath}/${channel.id}`
  const [tried, setTried] = useState<{ success: boolean; message: string }>()
  const test = useAction<void, { success: boolean; message: string }>(
    () => request(`${path}/test`, { method: 'POST' }),
    setTried,
  )
  const change = useAction((body: Partial<ChannelWish> & { enabled?: boolean }) =>
    request(path, { method: 'PUT', body }),
  )
  return (
    <>
      <div className="buttons">
        <ActionButton isRunning={test.isRunning} onClick={() => test.run()}>
          Send a test
        </ActionButton>
        <ActionButton isRunning={change.isRunning} onClick={() => change.run({ enabled: !channel.enabled })}>
          {channel.enabled ? 'Turn off' : 'Turn on'}
        </ActionButton>
      </div>
      <p role="status">
        {tried !== undefined && (
          <>
            <Badge tone={tried.success ? 'good' : 'bad'}>
              {tried.success ? 'The test arrived' : 'The test did not arrive'}
            </Badge>{' '}
            {!tried.success && <UntrustedText text={tried.message} most={300} />}
          </>
        )}
      </p>
      {test.failure !== undefined && <Failure failure={test.failure} />}
      <details>
        <summary>Change it</summary>
        <ChannelForm
          key={JSON.stringify(channel)}
          channel={channel}
          action={{
            ...change,
            run: ({ name, config, filters }) =>
              change.run({ name, filters, ...(config === undefined ? {} : { config }) }),
          }}
          label="Save"
        />
      </details>
    </>
  )
}

const statusWords: Record<NotificationDelivery['status'], readonly [Tone, string]> = {
  waiting: ['open', 'waits'],
  delivered: ['good', 'arrived'],
  failed: ['bad', 'given up'],
}

function Deliveries({ id }: { id: string }): ReactNode {
  const deliveries = useResource<{ readonly deliveries: readonly NotificationDelivery[] }>(
    `${channelsPath}/${id}/deliveries`,
    ['approvals'],
  )
  const { value, reload } = deliveries
  const isWaiting = value?.deliveries.some(({ status }) => status === 'waiting') === true
  useEffect(() => {
    if (!isWaiting) return
    // An attempt is no change of anything else, so the stream does not tell of it.
    const timer = setInterval(reload, waitingLookMs)
    return () => clearInterval(timer)
  }, [isWaiting, reload])
  return (
    <Loaded resource={deliveries} what="what was sent">
      {({ deliveries: list }) =>
        list.length === 0 ? (
          <Empty title="Nothing was sent yet.">
            Messages appear when an agent asks for approval. Tests are not listed.
          </Empty>
        ) : (
          <Table
            label="What was sent, newest first"
            headings={['Written', 'About', 'State', 'Attempts', 'Next attempt', 'Answer']}
          >
            {list.map((delivery) => (
              <tr key={delivery.id}>
                <td>
                  <Moment at={delivery.created_at} />
                </td>
                <td>
                  <Link to={`/approvals/${encodeURIComponent(delivery.subject)}`}>
                    {delivery.event === 'approval_requested' ? 'Asked' : 'Decided'}
                  </Link>
                </td>
                <td>
                  <Badge tone={statusWords[delivery.status][0]}>{statusWords[delivery.status][1]}</Badge>
                </td>
                <td>{delivery.attempts}</td>
                <td>{delivery.next_at === null ? '' : <Moment at={delivery.next_at} />}</td>
                <td>
                  <UntrustedText text={delivery.detail ?? ''} most={300} />
                </td>
              </tr>
            ))}
          </Table>
        )
      }
    </Loaded>
  )
}
