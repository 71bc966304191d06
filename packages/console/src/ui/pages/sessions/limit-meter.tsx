import type { ReactNode } from 'react'
import type { LimitedCounter } from '../../../protocol/session-limits.js'
import { UntrustedText } from '../../parts/untrusted-text.js'

const names = { max_attempts: 'Attempts', max_tool_calls: 'Calls that ran' } as const

/** A counter against its limit, in numbers and drawn. */
export function LimitMeter({ counter }: { counter: LimitedCounter }): ReactNode {
  const { limit_name: name, tool_name: tool, count, limit, is_default: isDefault } = counter
  const label =
    name === 'max_calls_per_tool' ? <UntrustedText text={`Calls of ${tool ?? ''}`} most={80} /> : names[name]
  return (
    <div className="limit">
      <span>
        {label}: <strong>{count.toLocaleString('en')}</strong> of {limit.toLocaleString('en')}
        {isDefault && <span className="muted"> (where the program sets none)</span>}
      </span>
      <progress value={Math.min(count, limit)} max={Math.max(1, limit)} aria-hidden="true" />
    </div>
  )
}
