// Sets OpenTelemetry up for a program that has not done so itself: a tracer provider that sends spans in batches. The
// packages are the program's own; what is missing is named.
import { createRequire } from 'node:module'
import { EdictumConfigError } from '../../contracts/config-error.js'
import { environmentVariable } from '../../internal/platform.js'
import { VERSION } from '../../version.js'
import { loadOtelApi, type OtelApi, type OtelTracer } from './otel.js'

export interface OtelOptions {
  /** @default 'edictum-agent' */
  readonly serviceName?: string
  /** @default 'http://localhost:4317' */
  readonly endpoint?: string
  /** `grpc`, or anything else for HTTP. @default 'grpc' */
  readonly protocol?: string
  /** Added to everything that is sent. */
  readonly resourceAttributes?: Readonly<Record<string, string>>
  readonly edictumVersion?: string
  /** Whether to take the place of a provider that is there already. @default false */
  readonly force?: boolean
  /** gRPC without transport encryption. An endpoint that says `https` is encrypted either way. @default true */
  readonly insecure?: boolean
}

/** The one place where a default of the setup is written. */
export const otelDefaults = {
  serviceName: 'edictum-agent',
  endpoint: 'http://localhost:4317',
  httpEndpoint: 'http://localhost:4318/v1/traces',
  protocol: 'grpc',
  insecure: true,
} as const

/** What was set up. */
export interface OtelSetup {
  /** Sends the spans that are still waiting. */
  flush(): Promise<void>
  shutdown(): Promise<void>
}

/** What the environment and the options come to. The environment wins. */
interface Target {
  readonly protocol: 'grpc' | 'http'
  readonly url: string
  readonly attributes: Readonly<Record<string, string>>
}

/**
 * Undefined when there is nothing to do: OpenTelemetry is not installed, or the program has set it up itself.
 * @throws EdictumConfigError naming the package when the one that sends is not installed.
 */
export function configureOtel(options: OtelOptions = {}): OtelSetup | undefined {
  const api = loadOtelApi()
  if (api === undefined) return undefined
  if (hasProvider(api) && options.force !== true) return undefined
  const target = targetOf(options)
  const { BasicTracerProvider, BatchSpanProcessor } = load<TracingPackage>('@opentelemetry/sdk-trace-base')
  const { resourceFromAttributes } = load<ResourcesPackage>('@opentelemetry/resources')
  const { OTLPTraceExporter } = load<ExporterPackage>(exporterPackages[target.protocol])
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes(target.attributes),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url: target.url }))],
  })
  const trace = api.trace as GlobalTrace
  if (options.force === true) trace.disable()
  trace.setGlobalTracerProvider(provider)
  return { flush: async () => provider.forceFlush(), shutdown: async () => provider.shutdown() }
}

/** The tracer of that name; one that does nothing when OpenTelemetry is not installed. */
export function getTracer(name = 'edictum'): OtelTracer {
  return loadOtelApi()?.trace.getTracer(name, VERSION) ?? idleTracer
}

const idleTracer: OtelTracer = Object.freeze({
  startSpan: () => ({ setAttributes: () => undefined, setStatus: () => undefined, end: () => undefined }),
})

const exporterPackages = {
  grpc: '@opentelemetry/exporter-trace-otlp-grpc',
  http: '@opentelemetry/exporter-trace-otlp-proto',
} as const

interface TracingPackage {
  readonly BasicTracerProvider: new (config: object) => {
    forceFlush(): Promise<void>
    shutdown(): Promise<void>
  }
  readonly BatchSpanProcessor: new (exporter: object) => object
}

interface ResourcesPackage {
  readonly resourceFromAttributes: (attributes: Readonly<Record<string, string>>) => object
}

interface ExporterPackage {
  readonly OTLPTraceExporter: new (config: { readonly url: string }) => object
}

type GlobalTrace = OtelApi['trace'] & {
  disable(): void
  setGlobalTracerProvider(provider: object): boolean
  getTracerProvider(): { getDelegate?(): object }
}

function hasProvider(api: OtelApi): boolean {
  const provider = (api.trace as GlobalTrace).getTracerProvider()
  const real = provider.getDelegate?.() ?? provider
  return real.constructor.name !== 'NoopTracerProvider'
}

function targetOf(options: OtelOptions): Target {
  const { edictumVersion, insecure = otelDefaults.insecure } = options
  const protocol =
    environmentVariable('OTEL_EXPORTER_OTLP_PROTOCOL') ?? options.protocol ?? otelDefaults.protocol
  const endpoint =
    environmentVariable('OTEL_EXPORTER_OTLP_ENDPOINT') ?? options.endpoint ?? otelDefaults.endpoint
  const attributes = {
    'service.name':
      environmentVariable('OTEL_SERVICE_NAME') ?? options.serviceName ?? otelDefaults.serviceName,
    ...(edictumVersion === undefined ? {} : { 'edictum.version': edictumVersion }),
    ...options.resourceAttributes,
    ...readAttributes(environmentVariable('OTEL_RESOURCE_ATTRIBUTES') ?? ''),
  }
  return protocol === 'grpc'
    ? { protocol: 'grpc', url: insecure ? endpoint : endpoint.replace(/^http:/, 'https:'), attributes }
    : { protocol: 'http', url: httpUrlOf(endpoint), attributes }
}

/** An endpoint that names a host alone gets the path that collectors listen on. */
function httpUrlOf(endpoint: string): string {
  if (endpoint === otelDefaults.endpoint) return otelDefaults.httpEndpoint
  if (!URL.canParse(endpoint))
    throw EdictumConfigError.of('invalid-option', `the OpenTelemetry endpoint is no URL: ${endpoint}`)
  const url = new URL(endpoint)
  if (url.pathname === '/') url.pathname = '/v1/traces'
  return url.href
}

/** `key=value` pairs between commas, as the variable is defined; what is no pair is passed over. */
function readAttributes(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(',').map((pair) => {
    const middle = pair.indexOf('=')
    return [pair.slice(0, Math.max(middle, 0)).trim(), pair.slice(middle + 1).trim()] as const
  })
  return Object.fromEntries(pairs.filter(([key]) => key !== ''))
}

function load<Package>(name: string): Package {
  try {
    return createRequire(import.meta.url)(name) as Package
  } catch {
    throw EdictumConfigError.of(
      'invalid-option',
      `OpenTelemetry cannot be set up: ${name} is not installed`,
      `npm install ${name}, or register a tracer provider of your own first`,
    )
  }
}
