// Through which channels people hear that an agent waits for them.
import { type ReactNode, useState } from 'react'
import type { NotificationChannel } from '../../../protocol/notifications.js'
import { request } from '../../data/request.js'
import { useAction } from '../../data/use-action.js'
import { useResource } from '../../data/use-resource.js'
import { useMay } from '../../data/use-visitor.js'
import { Link } from '../../navigation/router.js'
import { ConfirmButton } from '../../parts/confirm.js'
import { Page } from '../../parts/page.js'
import { ShownOnce } from '../../parts/shown-once.js'
import { Empty, Loaded } from '../../parts/states.js'
import { Table } from '../../parts/table.js'
import { UntrustedText } from '../../parts/untrusted-text.js'
import { ChannelForm, type ChannelWish } from './channel-form.js'
import { addressOf, ChannelState, LastTest, saysFilters } from './channel-words.js'

export const channelsPath = '/api/v1/notifications/channels'

export function NotificationsPage(): ReactNode {
  const channels = useResource<readonly NotificationChannel[]>(channelsPath)
  const mayAdminister = useMay('administer')
  return (
    <Page title="Notifications">
      <p className="muted">Who is told when a call waits for a person, and when it was decided.</p>
      {mayAdminister && <NewChannel />}
      <h2>Channels</h2>
      <Loaded resource={channels} what="channels">
        {(list) =>
          list.length === 0 ? (
            <Empty title="Nobody is told.">
              {mayAdminister
                ? 'Add a channel above; until then, approvals wait for somebody who looks.'
                : 'An administrator can add a channel; until then, approvals wait for somebody who looks.'}
            </Empty>
          ) : (
            <Table
              label="Channels"
              headings={['Channel', 'State', 'Kind', 'Leads to', 'Tells', 'Last test', 'Action']}
            >
              {list.map((channel) => (
                <ChannelRow key={channel.id} channel={channel} mayRemove={mayAdminister} />
              ))}
            </Table>
          )
        }
      </Loaded>
    </Page>
  )
}

function ChannelRow({ channel, mayRemove }: { channel: NotificationChannel; mayRemove: boolean }): ReactNode {
  const remove = useAction<void, unknown>(() =>
    request(`${channelsPath}/${channel.id}`, { method: 'DELETE' }),
  )
  return (
    <tr>
      <td>
        <Link to={`/notifications/${channel.id}`}>
          <UntrustedText text={channel.name} />
        </Link>
      </td>
      <td>
        <ChannelState channel={channel} />
      </td>
      <td>{channel.channel_type}</td>
      <td>
        <UntrustedText text={addressOf(channel)} most={80} />
      </td>
      <td>
        <UntrustedText text={saysFilters(channel)} />
      </td>
      <td>
        <LastTest channel={channel} />
      </td>
      <td>
        {mayRemove && (
          <ConfirmButton
            label="Remove"
            title="Remove the channel"
            consequence="Nobody is told through it any more, what still waits to be sent is dropped, and the list of what was sent goes with it. This cannot be undone."
            action={remove}
          />
        )}
      </td>
    </tr>
  )
}

function NewChannel(): ReactNode {
  const [secret, setSecret] = useState<string>()
  const add = useAction(
    (body: ChannelWish) =>
      request<NotificationChannel & { secret?: string }>(channelsPath, { method: 'POST', body }),
    (made) => setSecret(made.secret),
  )
  return (
    <details>
      <summary>Add a channel</summary>
      <ChannelForm action={add} label="Add the channel" />
      {secret !== undefined && (
        <ShownOnce label="The secret that signs what this channel sends." secret={secret} />
      )}
    </details>
  )
}
