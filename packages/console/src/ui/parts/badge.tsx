import type { ReactNode } from 'react'

export type Tone = 'good' | 'bad' | 'open' | 'dull'

export function Badge({ tone, children }: { tone: Tone; children: ReactNode }): ReactNode {
  return (
    <span className="badge" data-tone={tone}>
      {children}
    </span>
  )
}
