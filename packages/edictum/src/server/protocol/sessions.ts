// Session storage over HTTP: the port `StorageBackend` of the library, one request per step.
//
//   POST /api/edictum/v1/sessions/get        SessionGet       → SessionValue
//   POST /api/edictum/v1/sessions/set        SessionSet       → {}
//   POST /api/edictum/v1/sessions/delete     SessionGet       → {}
//   POST /api/edictum/v1/sessions/increment  SessionIncrement → SessionNumber
//   POST /api/edictum/v1/sessions/batch-get  SessionBatchGet  → SessionValues
//   POST /api/edictum/v1/sessions/reserve    ReservationRequest → Reservation
//   POST /api/edictum/v1/sessions/settle     Settlement         → SessionCounters
//
// Keys travel in the body, so any text is a key. The steps that change something take an Idempotency-Key.

export type {
  Reservation,
  ReservationRequest,
  SessionCounters,
  SessionLimitValues,
  Settlement,
  Slot,
} from '../../guard/ports/storage-backend.js'

export interface SessionGet {
  readonly key: string
}

export interface SessionValue {
  readonly value: string | null
}

export interface SessionSet {
  readonly key: string
  readonly value: string
}

export interface SessionIncrement {
  readonly key: string
  /** 1 if absent. */
  readonly amount?: number
}

export interface SessionNumber {
  readonly value: number
}

export interface SessionBatchGet {
  readonly keys: readonly string[]
}

export interface SessionValues {
  readonly values: Readonly<Record<string, string | null>>
}
