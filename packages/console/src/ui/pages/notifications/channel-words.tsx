import type { ReactNode } from 'react'
import type { NotificationChannel } from '../../../protocol/notifications.js'
import { Badge } from '../../parts/badge.js'
import { Ago } from '../../parts/moment.js'

export function addressOf({ config }: NotificationChannel): string {
  return config['url'] ?? config['webhook_url'] ?? ''
}

export function ChannelState({ channel }: { channel: NotificationChannel }): ReactNode {
  return channel.enabled ? <Badge tone="good">on</Badge> : <Badge tone="dull">off</Badge>
}

export function LastTest({ channel }: { channel: NotificationChannel }): ReactNode {
  const { last_test_at: at, last_test_ok: isOk } = channel
  if (at === null) return 'never'
  return (
    <>
      <Badge tone={isOk === true ? 'good' : 'bad'}>{isOk === true ? 'arrived' : 'did not arrive'}</Badge>{' '}
      <Ago at={at} />
    </>
  )
}

/** Which questions go through a channel, in words. */
export function saysFilters({ filters }: NotificationChannel): string {
  const parts = [
    ['in', filters.environments],
    ['of', filters.agent_patterns],
    ['under', filters.contract_names],
  ] as const
  const said = parts
    .filter(([, names]) => names !== undefined && names.length > 0)
    .map(([word, names]) => `${word} ${names?.join(' or ')}`)
  return said.length === 0 ? 'everything' : said.join(', ')
}
