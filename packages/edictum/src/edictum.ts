// The facade and composition root: loads bundles, holds the compiled policy, answers dry runs.
import type { Mode } from './contracts/bundle.js'
import { type CompositionReport, composeBundles, composePolicyVersion } from './contracts/compose.js'
import { EdictumConfigError } from './contracts/config-error.js'
import { loadBundle, loadBundleString, type LoadedBundle } from './contracts/load.js'
import { findTemplate, listTemplates, type TemplateInfo } from './contracts/templates.js'
import { environmentVariable } from './internal/platform.js'
import { type PrincipalInput, readPrincipal } from './guard/principal.js'
import { type CustomOptions, readExtensions } from './guard/extensions.js'
import type { Extensions } from './policy/conditions/condition.js'
import { type Scene, ToolOutput } from './policy/conditions/scene.js'
import { bashCommandOf, faultInToolName, filePathOf } from './policy/envelope.js'
import { evaluate, type EvaluationResult } from './policy/evaluation.js'
import { Policy } from './policy/policy.js'
import { RedactionPolicy } from './policy/redaction/redaction-policy.js'

export interface EdictumOptions extends CustomOptions {
  /** @default 'production' */
  readonly environment?: string
  /** Overrides the bundle's `defaults.mode` for the guard as a whole. */
  readonly mode?: Mode
  readonly redaction?: RedactionPolicy
  /** Largest accepted bundle file. @default 1048576 */
  readonly maxBundleBytes?: number
}

export interface EvaluateOptions {
  readonly principal?: PrincipalInput | null
  /** What the tool returned; given, postconditions are judged too. */
  readonly output?: unknown
  /** @default the guard's environment */
  readonly environment?: string
  readonly metadata?: Readonly<Record<string, unknown>>
}

export interface EvaluateCall extends EvaluateOptions {
  readonly tool: string
  readonly args?: Readonly<Record<string, unknown>>
}

export class Edictum {
  readonly environment: string
  readonly mode: Mode
  readonly policyVersion: string
  readonly #policy: Policy

  private constructor(loaded: LoadedBundle, options: EdictumOptions, extensions: Extensions) {
    this.environment = options.environment ?? 'production'
    this.mode = options.mode ?? loaded.bundle.defaults.mode
    this.policyVersion = loaded.policyVersion
    this.#policy = new Policy(loaded.bundle, {
      extensions,
      redaction: options.redaction ?? new RedactionPolicy(),
    })
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
    const extensions = readExtensions(options)
    const layers = paths.map((path) => ({ path, ...loadBundle(path, loadOptions(options, extensions)) }))
    const { bundle, report } = composeBundles(...layers.map((layer) => [layer.bundle, layer.path] as const))
    const policyVersion = composePolicyVersion(layers.map((layer) => layer.policyVersion))
    const guard = new Edictum({ bundle, policyVersion }, options, extensions)
    return options.returnReport === true ? [guard, report] : guard
  }

  /** Loads one bundle from text or bytes. @throws EdictumConfigError with every problem found. */
  static fromYamlString(content: string | Uint8Array, options: EdictumOptions = {}): Edictum {
    const extensions = readExtensions(options)
    return new Edictum(loadBundleString(content, loadOptions(options, extensions)), options, extensions)
  }

  /** Loads a template by name, from the given folders first, then from the built-in ones. */
  static fromTemplate(
    name: string,
    options: EdictumOptions & { readonly templateDirs?: readonly string[] } = {},
  ): Edictum {
    return Edictum.fromYaml(findTemplate(name, options.templateDirs), options)
  }

  static listTemplates(templateDirs?: readonly string[]): readonly TemplateInfo[] {
    return listTemplates(templateDirs)
  }

  /**
   * Judges a call without running anything: no counters, no approvals, no audit. All matching preconditions and
   * sandboxes are judged, and postconditions when an output is given; session contracts are not. The principal is the
   * one given here and no other.
   */
  evaluate(
    toolName: string,
    args: Readonly<Record<string, unknown>>,
    options: EvaluateOptions = {},
  ): EvaluationResult {
    const fault = faultInToolName(toolName)
    if (fault !== undefined) throw EdictumConfigError.of('invalid-option', fault)
    if (typeof args !== 'object' || args === null || Array.isArray(args)) {
      throw EdictumConfigError.of('invalid-option', 'the arguments of a call must be a mapping')
    }
    const plan = this.#policy.planFor(toolName)
    const { output } = options
    const scene: Scene = {
      envelope: {
        toolName,
        args,
        callId: '',
        runId: '',
        callIndex: 0,
        parentCallId: null,
        sideEffect: plan.descriptor?.sideEffect ?? 'irreversible',
        idempotent: plan.descriptor?.idempotent ?? false,
        environment: options.environment ?? this.environment,
        timestamp: new Date(),
        caller: '',
        toolUseId: null,
        principal: readPrincipal(options.principal),
        bashCommand: bashCommandOf(toolName, args),
        filePath: filePathOf(toolName, args),
        metadata: options.metadata ?? noMetadata,
      },
      readVariable: environmentVariable,
      output: output === undefined || output === null ? undefined : new ToolOutput(output),
    }
    return evaluate({ policy: this.#policy, plan, mode: this.mode }, scene)
  }

  evaluateBatch(calls: readonly EvaluateCall[]): readonly EvaluationResult[] {
    return calls.map(({ tool, args = {}, ...options }) => this.evaluate(tool, args, options))
  }
}

const noMetadata = Object.freeze({})

function loadOptions(options: EdictumOptions, extensions: Extensions) {
  return {
    customOperators: extensions.operators.keys(),
    ...(options.maxBundleBytes === undefined ? {} : { maxBundleBytes: options.maxBundleBytes }),
  }
}
