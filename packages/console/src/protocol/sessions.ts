// Defined in the library, whose client speaks it; one definition for both sides.
export type {
  Reservation,
  ReservationRequest,
  SessionBatchGet,
  SessionCounters,
  SessionGet,
  SessionIncrement,
  SessionNumber,
  SessionSet,
  SessionValue,
  SessionValues,
  Settlement,
} from 'edictum/server/protocol'
