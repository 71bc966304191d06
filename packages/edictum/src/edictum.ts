// The facade and composition root: loads bundles, fills in drivers, runs calls through the guard. The one file that sees
// both the guard and its drivers.
import type { Contract, ContractBundle, Mode, ToolDescriptor, OtelSettings } from './contracts/bundle.js'
import { type CompositionReport, composeBundles, composePolicyVersion } from './contracts/compose.js'
import { EdictumConfigError } from './contracts/config-error.js'
import { loadBundle, loadBundleString, type LoadedBundle } from './contracts/load.js'
import { findTemplate, listTemplates, type TemplateInfo } from './contracts/templates.js'
import { CollectingAuditSink } from './drivers/audit/collecting.js'
import { CompositeSink } from './drivers/audit/composite.js'
import { FileAuditSink } from './drivers/audit/file.js'
import { hasOtel, OtelAuditSink } from './drivers/audit/otel.js'
import { configureOtel } from './drivers/audit/otel-setup.js'
import { StdoutAuditSink } from './drivers/audit/stdout.js'
import { MemoryBackend } from './drivers/storage/memory.js'
import { checkApprovalBackend } from './guard/ask-approval.js'
import { type Admission, begin } from './guard/call.js'
import type { CallJudge, EvaluateCall, EvaluateOptions } from './guard/call-judge.js'
import type { BeginOptions, RunOptions } from './guard/call-request.js'
import { CodeContracts } from './guard/code-contracts.js'
import { dryRunCode, dryRunSession } from './guard/dry-run.js'
import { EdictumDenied } from './guard/errors.js'
import { type CustomOptions, readExtensions } from './guard/extensions.js'
import { describeCall } from './guard/envelope.js'
import type { GuardParts, GuardState } from './guard/guard-parts.js'
import { defaultSuccessCheck, type SuccessCheck } from './guard/judge.js'
import { type OperationLimits, SessionLimitRules } from './guard/limits.js'
import type { ApprovalBackend } from './guard/ports/approval-backend.js'
import type { AuditSink } from './guard/ports/audit-sink.js'
import type { StorageBackend } from './guard/ports/storage-backend.js'
import { type PrincipalInput, readPrincipal, snapshotPrincipal } from './guard/principal.js'
import { type ProgramOptions, readProgramOptions } from './guard/program-options.js'
import { Hooks } from './guard/registered-hooks.js'
import { runTool, type Tool } from './guard/run.js'
import { openSessionStore } from './guard/session-store.js'
import { readToolOptions, type ToolOptions } from './guard/tool-options.js'
import type { CodeContract, HookRegistration } from './guard/verdict.js'
import { abortError, isPromise } from './guard/waiting.js'
import { elapsedMs, environmentVariable, randomId, warn } from './internal/platform.js'
import type { Extensions } from './policy/conditions/condition.js'
import { ToolOutput } from './policy/conditions/scene.js'
import type { Principal, ToolEnvelope } from './policy/envelope.js'
import { evaluate, type EvaluationResult } from './policy/evaluation.js'
import { compileBundle } from './policy/policy.js'
import { RedactionPolicy } from './policy/redaction/redaction-policy.js'
import { CallFacts } from './policy/sandbox/call-facts.js'
import { BundleVerificationError } from './server/bundle-verification-error.js'
import type { ServerConnection, ServerConnectionOptions } from './server/connect.js'
import { EdictumServerError } from './server/server-error.js'
import { VERSION } from './version.js'

export interface EdictumOptions extends CustomOptions {
  /** @default 'production' */
  readonly environment?: string
  /** Overrides the bundle's `defaults.mode` for the guard as a whole. */
  readonly mode?: Mode
  readonly limits?: Partial<OperationLimits>
  readonly tools?: ToolOptions
  /** Programs of yours that start other programs, so that contracts see through them. */
  readonly programs?: ProgramOptions
  /** Contracts written in code, judged after the bundle's own of the same stage. */
  readonly contracts?: readonly CodeContract[]
  readonly hooks?: readonly HookRegistration[]
  /** One sink or several, beside the one in memory. */
  readonly auditSink?: AuditSink | readonly AuditSink[]
  readonly redaction?: RedactionPolicy
  /** @default MemoryBackend */
  readonly backend?: StorageBackend
  /** @default the hash of the bundle */
  readonly policyVersion?: string
  readonly onDeny?: (envelope: ToolEnvelope, reason: string, name: string | null) => void
  readonly onAllow?: (envelope: ToolEnvelope) => void
  readonly successCheck?: SuccessCheck
  readonly principal?: PrincipalInput | null
  /** Asked for every call without a principal of its own; what it answers is used, also when it is null. */
  readonly principalResolver?: (
    toolName: string,
    args: Readonly<Record<string, unknown>>,
  ) => PrincipalInput | null
  readonly approvalBackend?: ApprovalBackend
  /** Largest accepted bundle file. @default 1048576 */
  readonly maxBundleBytes?: number
  /** How long any one answer of a storage backend, audit sink or approval request is waited for. @default 3000 */
  readonly portTimeoutMs?: number
  /** How long a hook or a contract written in code may take. @default 30000 */
  readonly codeTimeoutMs?: number
  /** After this time the slot of a call that was never finished is free again. @default 3600 */
  readonly leaseSeconds?: number
}

/** What a guard has on the console, and what it has of its own. `environment` is that of the API key. */
export interface FromServerOptions
  extends ServerConnectionOptions, Omit<EdictumOptions, 'environment' | 'policyVersion'> {
  /** Of the guard as a whole; every contract keeps the mode its bundle gives it. @default 'enforce' */
  readonly mode?: Mode
  /** Sinks beside the one of the server, such as a file on this machine. */
  readonly auditSink?: AuditSink | readonly AuditSink[]
  /** Instead of counters on the server. */
  readonly backend?: StorageBackend
  /** Instead of people at the console. */
  readonly approvalBackend?: ApprovalBackend
}

/** The one place where a default of the guard is written. */
export const guardDefaults = {
  environment: 'production',
  portTimeoutMs: 3_000,
  codeTimeoutMs: 30_000,
  leaseSeconds: 3_600,
} as const

const emptyBundle: LoadedBundle = Object.freeze({
  bundle: Object.freeze({
    apiVersion: 'edictum/v1',
    kind: 'ContractBundle',
    metadata: { name: 'empty' },
    defaults: { mode: 'enforce' },
    contracts: [],
    tools: new Map(),
    observability: {},
    observeAlongside: false,
  } satisfies ContractBundle),
  policyVersion: '',
})

/** A guard: judges calls by its contracts, runs what they allow, and records what it decided. */
export class Edictum implements CallJudge {
  readonly environment: string
  readonly mode: Mode
  /** The session of calls that name none; limits accumulate over the guard's life. */
  readonly sessionId = randomId()
  /** Every event of this guard, in memory, bounded. */
  readonly localSink = new CollectingAuditSink()
  readonly auditSink: AuditSink
  readonly redaction: RedactionPolicy
  readonly backend: StorageBackend
  readonly #options: EdictumOptions
  readonly #extensions: Extensions
  readonly #parts: GuardParts
  #loaded: LoadedBundle
  #state: GuardState
  #principal: Principal | null
  #server: ServerConnection | undefined

  /** @throws EdictumConfigError when an option cannot be understood. */
  constructor(options: EdictumOptions = {}, loaded: LoadedBundle = emptyBundle) {
    this.#options = options
    this.#extensions = readExtensions(options)
    this.environment = options.environment ?? guardDefaults.environment
    this.mode = checkMode(options.mode ?? loaded.bundle.defaults.mode)
    this.redaction = options.redaction ?? new RedactionPolicy()
    this.backend = options.backend ?? new MemoryBackend()
    this.auditSink = this.#wireSinks(loaded.bundle)
    this.#principal = snapshotPrincipal(options.principal)
    if (options.approvalBackend !== undefined) checkApprovalBackend(options.approvalBackend)
    this.#parts = {
      mode: this.mode,
      environment: this.environment,
      sessionId: this.sessionId,
      principalFor: this.#principalSource(),
      backend: this.backend,
      store: openSessionStore(this.backend),
      sink: this.auditSink,
      redaction: this.redaction,
      hooks: new Hooks(options.hooks ?? []),
      code: new CodeContracts(options.contracts ?? []),
      successCheck: options.successCheck ?? defaultSuccessCheck,
      approvalBackend: options.approvalBackend,
      onDeny: options.onDeny,
      onAllow: options.onAllow,
      readVariable: environmentVariable,
      analyseCommand: readProgramOptions(options.programs),
      clock: { now: () => new Date(), elapsed: elapsedMs },
      portMs: options.portTimeoutMs ?? guardDefaults.portTimeoutMs,
      codeMs: options.codeTimeoutMs ?? guardDefaults.codeTimeoutMs,
      leaseSeconds: options.leaseSeconds ?? guardDefaults.leaseSeconds,
    }
    this.#loaded = loaded
    this.#state = this.#compile(loaded)
  }

  /** Loads one or more bundle files; several compose left to right. @throws EdictumConfigError with every problem found. */
  static fromYaml(path: string, ...more: readonly (string | EdictumOptions)[]): Edictum
  static fromYaml(
    path: string,
    ...more: readonly (string | (EdictumOptions & { readonly returnReport: true }))[]
  ): readonly [Edictum, CompositionReport]
  static fromYaml(
    ...parameters: readonly (string | (EdictumOptions & { readonly returnReport?: boolean }))[]
  ): Edictum | readonly [Edictum, CompositionReport] {
    const paths = parameters.filter((parameter) => typeof parameter === 'string')
    const options = parameters.find((parameter) => typeof parameter === 'object') ?? {}
    if (paths.length === 0) {
      throw EdictumConfigError.of('invalid-option', 'fromYaml needs at least one path')
    }
    const layers = paths.map((path) => ({ path, ...loadBundle(path, loadOptions(options)) }))
    const { bundle, report } = composeBundles(...layers.map((layer) => [layer.bundle, layer.path] as const))
    const policyVersion = composePolicyVersion(layers.map((layer) => layer.policyVersion))
    const guard = new Edictum(options, { bundle, policyVersion })
    return options.returnReport === true ? [guard, report] : guard
  }

  /** Loads one bundle from text or bytes. @throws EdictumConfigError with every problem found. */
  static fromYamlString(content: string | Uint8Array, options: EdictumOptions = {}): Edictum {
    return new Edictum(options, loadBundleString(content, loadOptions(options)))
  }

  /** Loads a template by name, from the given folders first, then from the built-in ones. */
  static fromTemplate(
    name: string,
    options: EdictumOptions & { readonly templateDirs?: readonly string[] } = {},
  ): Edictum {
    return Edictum.fromYaml(findTemplate(name, options.templateDirs), options)
  }

  /**
   * One guard with the contracts of several, and the programs they know. Everything else, from the backend to the
   * success check, is the first guard's; of two contracts with the same id the first counts.
   */
  static fromMultiple(guards: readonly Edictum[]): Edictum {
    const [first] = guards
    if (first === undefined)
      throw EdictumConfigError.of('invalid-option', 'fromMultiple needs at least one guard')
    const contracts = new Map<string, Contract>()
    for (const { bundle } of guards.map((guard) => guard.#loaded)) {
      for (const contract of bundle.contracts) {
        if (contracts.has(contract.id))
          warn(`contract ${contract.id} of a later guard is left out: the id is taken`)
        else contracts.set(contract.id, { ...contract, mode: contract.mode ?? bundle.defaults.mode })
      }
    }
    const limits = lowestLimits(guards.map((guard) => guard.#options.limits ?? {}))
    const code = guards.flatMap((guard) => guard.#options.contracts ?? [])
    const programs: ProgramOptions = Object.assign(
      {},
      ...guards.map((guard) => guard.#options.programs).toReversed(),
    )
    const loaded = first.#loaded
    return new Edictum(
      {
        ...first.#options,
        mode: first.mode,
        backend: first.backend,
        redaction: first.redaction,
        contracts: code,
        programs,
        limits,
      },
      { ...loaded, bundle: { ...loaded.bundle, contracts: [...contracts.values()] } },
    )
  }

  /**
   * A guard with its contracts, counters, approvals and audit on the console. Resolves when the first bundle is in force;
   * contracts follow every deployment from then on. Close the guard to deliver what is waiting.
   * @throws EdictumConfigError when there is no bundle to be had that can be verified and loaded; its cause says why.
   */
  static async fromServer(options: FromServerOptions): Promise<Edictum> {
    // Only those who use a server pay for its client.
    const { connectToServer } = await import('./server/connect.js')
    const server = connectToServer(options, options.redaction)
    const { auditSink = [] } = options
    const guardOptions: EdictumOptions = {
      ...options,
      mode: options.mode ?? 'enforce',
      environment: server.client.env,
      backend: options.backend ?? server.backend,
      approvalBackend: options.approvalBackend ?? server.approvalBackend,
      auditSink: [...(Array.isArray(auditSink) ? auditSink : [auditSink as AuditSink]), server.auditSink],
    }
    let guard: Edictum | undefined
    try {
      await server.contractSource.start(async ({ bytes }) => {
        if (guard !== undefined) return guard.reload(bytes)
        guard = new Edictum(guardOptions, loadBundleString(bytes, loadOptions(options)))
        guard.#server = server
      })
    } catch (error) {
      await Promise.allSettled([server.close(), server.auditSink.close()])
      throw notStarted(error)
    }
    return guard as unknown as Edictum
  }

  static listTemplates(templateDirs?: readonly string[]): readonly TemplateInfo[] {
    return listTemplates(templateDirs)
  }

  get policyVersion(): string | null {
    return this.#state.policyVersion
  }

  /** The limits in force, contracts and options taken together. */
  get limits(): OperationLimits {
    return this.#state.limits.effective
  }

  /**
   * Runs a tool if the contracts allow it.
   * @throws EdictumDenied when they do not; the tool has not run.
   * @throws EdictumToolError when the tool failed.
   */
  // oxlint-disable-next-line max-params -- the signature is public and fixed
  async run<Result>(
    toolName: string,
    args: Readonly<Record<string, unknown>>,
    tool: Tool<Result>,
    options: RunOptions = {},
  ): Promise<Result> {
    const admission = await begin(this.#parts, this.#state, { toolName, args, options })
    if (admission.kind === 'refused') {
      if (admission.decisionSource === 'cancelled') throw abortError(options.signal)
      throw new EdictumDenied(admission.reason, {
        source: admission.decisionSource,
        name: admission.decisionName,
      })
    }
    const running = runTool(tool, admission.envelope, options.signal)
    const end = await admission.finish(isPromise(running) ? await running : running)
    if (end.kind === 'failed') throw end.error
    return end.value as Result
  }

  /** Decides about a call that somebody else will run. An admission must be finished or abandoned, exactly once. */
  begin(
    call: { readonly toolName: string; readonly args: Readonly<Record<string, unknown>> },
    options: BeginOptions = {},
  ): Promise<Admission> {
    const { toolName, args } = call
    return begin(this.#parts, this.#state, { toolName, args, options })
  }

  /** What is known about a tool: from the options, else from the bundle. */
  describeTool(toolName: string): ToolDescriptor | undefined {
    return this.#state.policy.planFor(toolName).descriptor
  }

  /**
   * Judges a call without running anything: no counters, no approvals, no audit. All matching preconditions and
   * sandboxes are judged, postconditions when an output is given, and session limits when counters are given. The
   * principal is the one given here and no other.
   */
  evaluate(
    toolName: string,
    args: Readonly<Record<string, unknown>>,
    options: EvaluateOptions = {},
  ): EvaluationResult {
    const { policy } = this.#state
    const plan = policy.planFor(toolName)
    const { output } = options
    const envelope = describeCall(toolName, args, {
      environment: options.environment ?? this.environment,
      principal: readPrincipal(options.principal),
      ...(options.metadata === undefined ? {} : { metadata: options.metadata }),
      sideEffect: plan.descriptor?.sideEffect ?? 'irreversible',
      idempotent: plan.descriptor?.idempotent ?? false,
    })
    const { readVariable, analyseCommand } = this.#parts
    const scene = {
      envelope,
      readVariable,
      facts: new CallFacts(envelope.args, readVariable, analyseCommand),
      output: output === undefined || output === null ? undefined : new ToolOutput(output),
    }
    const { code } = this.#parts
    return evaluate({ policy, plan, mode: this.mode }, scene)
      .and(options.session === undefined ? [] : dryRunSession(this.#state.limits, scene, options.session))
      .and(code.isEmpty ? [] : dryRunCode(code, envelope, output))
  }

  evaluateBatch(calls: readonly EvaluateCall[]): readonly EvaluationResult[] {
    return calls.map(({ tool, args = {}, ...options }) => this.evaluate(tool, args, options))
  }

  /**
   * Replaces the contracts by those of a new bundle, all at once. A bundle that cannot be understood changes nothing.
   * Calls under way finish under the contracts they began with; counters stay.
   */
  async reload(content: string | Uint8Array): Promise<void> {
    const loaded = loadBundleString(content, loadOptions(this.#options))
    const state = this.#compile(loaded)
    this.#loaded = loaded
    this.#state = state
  }

  /** For later calls; calls under way keep theirs. */
  setPrincipal(principal: PrincipalInput | null): void {
    this.#principal = snapshotPrincipal(principal)
  }

  /** Writes what the sinks still hold and lets go of them, and of the server if there is one. */
  async close(): Promise<void> {
    try {
      await this.#server?.close()
    } finally {
      await this.auditSink.close?.()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #compile(loaded: LoadedBundle): GuardState {
    const tools = new Map([...loaded.bundle.tools, ...readToolOptions(this.#options.tools)])
    const options = { extensions: this.#extensions, redaction: this.redaction }
    const { policy, candidates } = compileBundle({ ...loaded.bundle, tools }, options)
    return {
      policy,
      candidates,
      limits: new SessionLimitRules(policy.sessions, this.#options.limits ?? {}),
      policyVersion:
        this.#options.policyVersion ?? (loaded.policyVersion === '' ? null : loaded.policyVersion),
    }
  }

  /** The sinks given here, else those the bundle names; the one in memory always. */
  #wireSinks({ observability }: ContractBundle): AuditSink {
    const { auditSink } = this.#options
    if (auditSink !== undefined) {
      return new CompositeSink([
        this.localSink,
        ...(Array.isArray(auditSink) ? auditSink : [auditSink as AuditSink]),
      ])
    }
    const named = [
      ...(observability.file === undefined ? [] : [new FileAuditSink(observability.file)]),
      ...(observability.stdout === true ? [new StdoutAuditSink()] : []),
      ...(observability.otel?.enabled === true ? [otelSink(observability.otel)] : []),
    ]
    return named.length === 0 ? this.localSink : new CompositeSink([this.localSink, ...named])
  }

  #principalSource(): GuardParts['principalFor'] {
    const { principalResolver } = this.#options
    return principalResolver === undefined
      ? () => this.#principal
      : (toolName, args) => snapshotPrincipal(principalResolver(toolName, args))
  }
}

/** Asked for by a bundle: without the package nothing could be sent, and that must not go unnoticed. */
function otelSink({ resourceAttributes, ...settings }: OtelSettings): OtelAuditSink {
  if (!hasOtel()) warn('the bundle asks for OpenTelemetry, but @opentelemetry/api is not installed')
  const setup = configureOtel({
    ...settings,
    resourceAttributes: Object.fromEntries(resourceAttributes),
    edictumVersion: VERSION,
  })
  return new OtelAuditSink({ setup })
}

/** What the server or the bundle lacks is a fault of how things are set up, and said as one. */
function notStarted(error: unknown): unknown {
  if (!(error instanceof EdictumServerError || error instanceof BundleVerificationError)) return error
  const hint =
    'check the URL, the API key, the name of the bundle and that it is deployed in this environment'
  const failure = EdictumConfigError.of('no-bundle-from-server', error.message, hint)
  failure.cause = error
  return failure
}

function checkMode(mode: Mode): Mode {
  if (mode === 'enforce' || mode === 'observe') return mode
  throw EdictumConfigError.of('invalid-option', `mode cannot be ${String(mode)}`, 'use enforce or observe')
}

function lowestLimits(given: readonly Partial<OperationLimits>[]): Partial<OperationLimits> {
  const lowest = (limit: 'maxAttempts' | 'maxToolCalls') => {
    const values = given.map((limits) => limits[limit]).filter((value) => value !== undefined)
    return values.length === 0 ? {} : { [limit]: Math.min(...values) }
  }
  const perTool = new Map<string, number>()
  for (const { maxCallsPerTool = {} } of given) {
    for (const [tool, limit] of Object.entries(maxCallsPerTool)) {
      perTool.set(tool, Math.min(limit, perTool.get(tool) ?? Infinity))
    }
  }
  return { ...lowest('maxAttempts'), ...lowest('maxToolCalls'), maxCallsPerTool: Object.fromEntries(perTool) }
}

/** Extensions are checked first, so that a clash is reported before any bundle is looked at. */
function loadOptions(options: EdictumOptions) {
  const { operators } = readExtensions(options)
  const { maxBundleBytes } = options
  return { customOperators: operators.keys(), ...(maxBundleBytes === undefined ? {} : { maxBundleBytes }) }
}
