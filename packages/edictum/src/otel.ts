// The public surface of `edictum/otel`.
export {
  hasOtel,
  OtelAuditSink,
  type OtelApi,
  type OtelAttributes,
  type OtelAuditSinkOptions,
  type OtelSpan,
  type OtelTracer,
} from './drivers/audit/otel.js'
export {
  configureOtel,
  getTracer,
  otelDefaults,
  type OtelOptions,
  type OtelSetup,
} from './drivers/audit/otel-setup.js'
