import type { TriedJudgement } from '../../protocol/bundle-check.js'
import type { Evaluation } from './evaluate.js'

/** What was decided about a call and why, as the web page reads it. */
export function toJudgement(judged: Extract<Evaluation, { ok: true }>): TriedJudgement {
  return {
    verdict: judged.verdict,
    deciding_contract: judged.decidingContract,
    contracts: judged.contracts.map(({ id, type, matched, effect, message, observed }) => ({
      id,
      type,
      matched,
      effect,
      message,
      observed,
    })),
    explanations: judged.explanations,
  }
}
