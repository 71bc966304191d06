// Every condition of a contract with what it saw. Operands are ours, values are the agents'.
import type { ReactNode } from 'react'
import type {
  ConditionOutcome,
  ConditionExplanation,
  ContractExplanation,
} from '../../protocol/explanations.js'
import { Badge, type Tone } from './badge.js'
import { UntrustedText } from './untrusted-text.js'

const words: Record<ConditionOutcome, readonly [string, Tone]> = {
  matched: ['true', 'open'],
  'not-matched': ['false', 'dull'],
  'policy-error': ['could not be decided', 'bad'],
  'not-reached': ['not looked at', 'dull'],
}

const groupWords = { all: 'all of these', any: 'any of these' } as const

export function ContractConditions({ contract }: { contract: ContractExplanation }): ReactNode {
  const { when, detail } = contract
  return (
    <>
      {detail !== undefined && (
        <p>
          <UntrustedText text={detail} most={500} />
        </p>
      )}
      {when !== undefined && (
        <ul className="conditions">
          <Condition condition={when} />
        </ul>
      )}
    </>
  )
}

function Condition({ condition }: { condition: ConditionExplanation }): ReactNode {
  const [word, tone] = words[condition.outcome]
  const outcome = <Badge tone={tone}>{word}</Badge>
  if (condition.kind === 'leaf') {
    const { selector, operator, operand, value, detected, detail } = condition
    return (
      <li>
        <code>
          <UntrustedText text={selector} /> {operator} <UntrustedText text={JSON.stringify(operand) ?? ''} />
        </code>{' '}
        {outcome}
        {condition.outcome !== 'not-reached' && (
          <span className="muted">
            {' '}
            {value === undefined ? (
              'there was nothing'
            ) : (
              <>
                saw <UntrustedText text={JSON.stringify(value) ?? ''} most={300} />
              </>
            )}
            {detected !== undefined && detected.length > 0 && `; found ${detected.join(', ')}`}
          </span>
        )}
        {detail !== undefined && <UntrustedText text={` ${detail}`} most={300} />}
      </li>
    )
  }
  const children = condition.kind === 'not' ? [condition.condition] : condition.conditions
  return (
    <li>
      {condition.kind === 'not' ? 'not' : groupWords[condition.kind]} {outcome}
      <ul>
        {children.map((child, index) => (
          <Condition key={`condition ${index}`} condition={child} />
        ))}
      </ul>
    </li>
  )
}
