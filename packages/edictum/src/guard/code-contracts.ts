// Contracts written in code, sorted by kind. Judged after the bundle's own of the same stage, one after the other.
import { applies } from './applies.js'
import { messageOf } from '../internal/message-of.js'
import { EdictumConfigError } from '../contracts/config-error.js'
import type { ToolEnvelope } from '../policy/envelope.js'
import type { ContractRecord, ContractRecordType } from '../policy/record.js'
import { compileGlob, type GlobMatcher } from '../policy/tool-glob.js'
import {
  type CodeContract,
  type CodePostcondition,
  type CodePrecondition,
  type CodeSessionContract,
  Verdict,
} from './verdict.js'
import { isPromise, type Patience, waitFor } from './waiting.js'

type Bound<Contract> = Contract & { readonly matches: GlobMatcher }

export class CodeContracts {
  readonly preconditions: readonly Bound<CodePrecondition>[]
  readonly postconditions: readonly Bound<CodePostcondition>[]
  readonly sessions: readonly Bound<CodeSessionContract>[]

  constructor(contracts: readonly CodeContract[]) {
    const bound = contracts.map((contract) => {
      if (typeof contract !== 'object' || contract === null || !kinds.has(contract.kind)) {
        throw EdictumConfigError.of(
          'invalid-option',
          'a contract must come from precondition(), postcondition() or sessionContract()',
        )
      }
      return { ...contract, matches: compileGlob(contract.tool) }
    })
    this.preconditions = bound.filter(
      (contract): contract is Bound<CodePrecondition> => contract.kind === 'precondition',
    )
    this.postconditions = bound.filter(
      (contract): contract is Bound<CodePostcondition> => contract.kind === 'postcondition',
    )
    this.sessions = bound.filter(
      (contract): contract is Bound<CodeSessionContract> => contract.kind === 'session_contract',
    )
  }

  get isEmpty(): boolean {
    return this.preconditions.length + this.postconditions.length + this.sessions.length === 0
  }

  /** Whether deciding about this tool runs code that may have to be waited for. */
  decideBefore(toolName: string): boolean {
    if (this.sessions.length > 0) return true
    return this.preconditions.length > 0 && this.preconditions.some(({ matches }) => matches(toolName))
  }
}

const kinds = new Set<string>(['precondition', 'postcondition', 'session_contract'])
const errorPrefixes = {
  precondition: 'Precondition error:',
  postcondition: 'Postcondition error:',
  session_contract: 'Session contract error:',
} as const

/** Judges one contract. Whatever goes wrong in it is a failure with `policy_error`, never a pass. */
export async function judgeCodeContract(
  contract: Bound<CodeContract>,
  envelope: ToolEnvelope,
  run: { readonly check: () => Verdict | Promise<Verdict>; readonly patience: Patience },
): Promise<ContractRecord | undefined> {
  if (!contract.matches(envelope.toolName) || !applies(contract, envelope)) return undefined
  const type: ContractRecordType = contract.kind
  const observed = contract.mode === 'observe' ? { observed: true as const } : {}
  try {
    const answer = run.check()
    const verdict = isPromise(answer) ? await waitFor(answer, run.patience) : answer
    if (!(verdict instanceof Verdict))
      throw new TypeError('a contract must return Verdict.pass() or Verdict.fail(message)')
    if (verdict.passed) return Object.freeze({ name: contract.name, type, passed: true, message: null })
    const metadata = Object.keys(verdict.metadata).length === 0 ? {} : { metadata: verdict.metadata }
    return Object.freeze({
      name: contract.name,
      type,
      passed: false,
      message: verdict.message,
      ...metadata,
      ...observed,
    })
  } catch (error) {
    const detail = messageOf(error)
    const { message } = Verdict.fail(`${errorPrefixes[contract.kind]} ${detail}`)
    const metadata = Object.freeze({ policy_error: true, error_detail: detail })
    return Object.freeze({ name: contract.name, type, passed: false, message, metadata, ...observed })
  }
}
