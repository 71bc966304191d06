// What agents hand over, and what becomes of it on its way to the store.
import type { RejectedEvent } from '../../protocol/events.js'
import type { NewEvent } from '../../store/events.js'
import type { Schema } from '../routing/schema-check.js'

const mostEvents = 10_000

export const batchBody: Schema = {
  type: 'object',
  required: ['events'],
  properties: {
    events: { type: 'array', minItems: 1, maxItems: mostEvents },
    agent_manifest: {
      type: ['object', 'null'],
      required: ['agent_id'],
      properties: {
        agent_id: { type: 'string', minLength: 1, maxLength: 10_000 },
        policy_version: { type: ['string', 'null'] },
        contracts: { type: 'array', maxItems: 10_000, items: { type: 'object' } },
      },
    },
  },
}

/** What a program on a developer's machine says about the contracts it has there. */
export interface AgentManifest {
  readonly agentId: string
  /** Canonical JSON. */
  readonly content: string
}

/** Some of the events of a batch, in their order. */
export interface EventPiece {
  readonly events: readonly NewEvent[]
  readonly rejected: readonly RejectedEvent[]
  readonly isLast: boolean
}

export interface EventBatch {
  /** Of events, readable or not. */
  readonly size: number
  readonly manifest: AgentManifest | undefined
  readonly pieces: () => AsyncIterable<EventPiece>
}
