import type { ReactNode } from 'react'
import { useBundleText } from '../../data/use-bundle-text.js'
import { Link } from '../../navigation/router.js'
import { Page } from '../../parts/page.js'
import { UntrustedText } from '../../parts/untrusted-text.js'
import { diffLines } from './line-diff.js'

const signs = { same: ' ', removed: '−', added: '+' } as const
const words = { same: '', removed: 'removed: ', added: 'added: ' } as const

export function DiffPage({ name, from, to }: { name: string; from: string; to: string }): ReactNode {
  const before = useBundleText(name, from)
  const after = useBundleText(name, to)
  const lines = before === undefined || after === undefined ? [] : diffLines(before, after)
  return (
    <Page title={`${name}: version ${from} and ${to}`}>
      <p>
        <Link to={`/contracts/${encodeURIComponent(name)}`}>Back to the bundle</Link>
      </p>
      <div className="diff" role="group" tabIndex={0} aria-label={`What changed from ${from} to ${to}`}>
        {lines.map(({ kind, text }, index) => (
          <div key={`line ${index}`} data-kind={kind}>
            <span aria-hidden="true">{signs[kind]} </span>
            <span className="visually-hidden">{words[kind]}</span>
            <UntrustedText text={text} most={2_000} />
          </div>
        ))}
      </div>
    </Page>
  )
}
