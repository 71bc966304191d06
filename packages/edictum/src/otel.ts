// The public surface of `edictum/otel`.
export { hasOtel, OtelAuditSink, type OtelApi, type OtelAuditSinkOptions } from './drivers/audit/otel.js'
