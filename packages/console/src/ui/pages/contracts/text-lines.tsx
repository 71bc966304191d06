import type { ReactNode } from 'react'
import { UntrustedText } from '../../parts/untrusted-text.js'
import type { DiffLine } from './line-diff.js'

const signs = { same: ' ', removed: '−', added: '+' } as const
const words = { same: '', removed: 'removed: ', added: 'added: ' } as const

/** Lines of contracts, with what became of each: by colour, by sign, and in words for those who hear it. */
export function TextLines({ lines, label }: { lines: readonly DiffLine[]; label: string }): ReactNode {
  return (
    <div className="diff" role="group" tabIndex={0} aria-label={label}>
      {lines.map(({ kind, text }, index) => (
        <div key={`line ${index}`} data-kind={kind}>
          <span aria-hidden="true">{signs[kind]} </span>
          <span className="visually-hidden">{words[kind]}</span>
          <UntrustedText text={text} most={2_000} />
        </div>
      ))}
    </div>
  )
}
