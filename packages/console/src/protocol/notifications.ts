// Channels people are told through.
//
//   GET /api/v1/notifications/channels                  → NotificationChannel[], without their secrets
//   GET /api/v1/notifications/channels/{id}/deliveries  → { deliveries: NotificationDelivery[] }, newest first

export type ChannelType = 'webhook' | 'slack'

export interface NotificationFilters {
  readonly environments?: readonly string[]
  readonly agent_patterns?: readonly string[]
  readonly contract_names?: readonly string[]
}

export interface NotificationChannel {
  readonly id: string
  readonly name: string
  readonly channel_type: ChannelType
  /** `url`, or `webhook_url` of Slack, as far as its host; `secret` only to say that there is one. */
  readonly config: Readonly<Record<string, string>>
  readonly enabled: boolean
  /** One of each list that is there; an empty list asks for nothing. */
  readonly filters: NotificationFilters
  readonly created_at: string
  readonly last_test_at: string | null
  readonly last_test_ok: boolean | null
}

export interface NotificationDelivery {
  readonly id: string
  readonly event: string
  /** The approval it is about. */
  readonly subject: string
  readonly status: 'waiting' | 'delivered' | 'failed'
  readonly attempts: number
  /** What the other side answered, or why it could not be reached. */
  readonly detail: string | null
  /** When it is tried again; null when it is not. */
  readonly next_at: string | null
  readonly created_at: string
  readonly delivered_at: string | null
}
