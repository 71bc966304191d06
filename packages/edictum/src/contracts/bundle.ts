// The checked form of a contract bundle: what the rest of the product may rely on.
// A value of these types only comes out of the checker or of composition.

export type Mode = 'enforce' | 'observe'
export type SideEffect = 'pure' | 'read' | 'write' | 'irreversible'
/** What happens when nobody answers an approval in time. */
export type TimeoutEffect = 'deny' | 'allow'

export interface ContractBundle {
  readonly apiVersion: 'edictum/v1'
  readonly kind: 'ContractBundle'
  readonly metadata: { readonly name: string; readonly description?: string }
  readonly defaults: { readonly mode: Mode }
  readonly contracts: readonly Contract[]
  readonly tools: ReadonlyMap<string, ToolDescriptor>
  readonly observability: Observability
  /** Has an effect on the second and later bundles of a composition only. */
  readonly observeAlongside: boolean
}

export type Contract = PreContract | PostContract | SessionContract | SandboxContract
export type ContractType = Contract['type']

interface ContractFields {
  readonly id: string
  readonly enabled: boolean
  /** Absent: the bundle's default mode applies, which a later layer of a composition may change. */
  readonly mode?: Mode
  /** A candidate from an `observe_alongside` layer: evaluated and recorded, never enforced. */
  readonly shadow?: true
}

export interface PreContract extends ContractFields {
  readonly type: 'pre'
  readonly tool: string
  readonly when: Condition
  readonly then: Consequence<'deny' | 'approve'> & ApprovalTerms
}

export interface PostContract extends ContractFields {
  readonly type: 'post'
  readonly tool: string
  readonly when: Condition
  readonly then: Consequence<'warn' | 'redact' | 'deny'>
}

export interface SessionContract extends ContractFields {
  readonly type: 'session'
  readonly limits: SessionLimits
  readonly then: Consequence<'deny'>
}

export interface SandboxContract extends ContractFields, ApprovalTerms {
  readonly type: 'sandbox'
  readonly tools: readonly string[]
  readonly within: readonly string[]
  readonly notWithin: readonly string[]
  readonly allows: { readonly commands?: readonly string[]; readonly domains?: readonly string[] }
  readonly notAllows: { readonly domains?: readonly string[] }
  readonly outside: 'deny' | 'approve'
  readonly message: string
}

export interface Consequence<Effect extends string> {
  readonly effect: Effect
  readonly message: string
  readonly tags: readonly string[]
  readonly metadata: Readonly<Record<string, unknown>>
}

export interface ApprovalTerms {
  readonly timeoutSeconds: number
  readonly timeoutEffect: TimeoutEffect
}

export interface SessionLimits {
  readonly maxToolCalls?: number
  readonly maxAttempts?: number
  readonly maxCallsPerTool?: ReadonlyMap<string, number>
}

export type Condition =
  | { readonly kind: 'all'; readonly conditions: readonly Condition[] }
  | { readonly kind: 'any'; readonly conditions: readonly Condition[] }
  | { readonly kind: 'not'; readonly condition: Condition }
  | Leaf

export interface Leaf {
  readonly kind: 'leaf'
  readonly selector: string
  readonly operator: string
  readonly operand: unknown
}

export interface ToolDescriptor {
  readonly sideEffect: SideEffect
  readonly idempotent: boolean
}

export interface Observability {
  readonly otel?: OtelSettings
  readonly stdout?: boolean
  readonly file?: string
}

export interface OtelSettings {
  readonly enabled: boolean
  readonly endpoint: string
  readonly protocol: 'grpc' | 'http'
  readonly serviceName: string
  readonly insecure: boolean
  readonly resourceAttributes: ReadonlyMap<string, string>
}

/** The one place where a default of the contract language is written. */
export const contractDefaults = {
  timeoutSeconds: 300,
  timeoutEffect: 'deny',
  outside: 'deny',
  otel: {
    enabled: false,
    endpoint: 'http://localhost:4317',
    protocol: 'grpc',
    serviceName: 'edictum-agent',
    insecure: true,
  },
} as const
