// What layers make of each other, for people and in JSON.
import type { CompositionReport } from '../contracts/compose.js'

export function compositionToJson(report: CompositionReport): object {
  return {
    overrides: report.overriddenContracts.map(({ contractId, overriddenBy, originalSource }) => ({
      contract_id: contractId,
      overridden_by: overriddenBy,
      original_source: originalSource,
    })),
    shadows: report.shadowContracts.map(({ contractId, observedSource, enforcedSource }) => ({
      contract_id: contractId,
      observed_source: observedSource,
      enforced_source: enforcedSource,
    })),
  }
}

export function describeComposition(report: CompositionReport): readonly string[] {
  return [
    ...report.overriddenContracts.map(
      ({ contractId, overriddenBy, originalSource }) =>
        `⇄ ${contractId} — overridden by ${overriddenBy} (was in ${originalSource})`,
    ),
    ...report.shadowContracts.map(({ contractId, observedSource, enforcedSource }) => {
      const where = enforcedSource === '' ? 'not enforced anywhere' : `enforced in ${enforcedSource}`
      return `⊕ ${contractId} — shadow from ${observedSource} (${where})`
    }),
  ]
}
