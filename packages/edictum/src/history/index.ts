// The public surface of `edictum/history`: what a record of calls says about contracts.
export { type AuditLine, AuditLogReader, type RecordedEvent, type SkipReason } from './audit-log.js'
export { Baseline, type BaselineReport, type Spread } from './baseline.js'
export { type LimitsBundle, writeLimitsBundle } from './limits-bundle.js'
export { percentile, suggestLimit } from './suggested-limit.js'
export type { RecordedCall, RecordedVerdict } from './recorded-call.js'
export {
  type ChangeRule,
  decidesDifferently,
  endsDifferently,
  Replay,
  type ReplayedCall,
  type ReplayGroup,
} from './replay.js'
