import type { ReactNode } from 'react'
import { useBundleText } from '../../data/use-bundle-text.js'
import { Link } from '../../navigation/router.js'
import { Page } from '../../parts/page.js'
import { Loaded } from '../../parts/states.js'
import { diffLines } from './line-diff.js'
import { TextLines } from './text-lines.js'

export function DiffPage({ name, from, to }: { name: string; from: string; to: string }): ReactNode {
  const before = useBundleText(name, from)
  const after = useBundleText(name, to)
  return (
    <Page title={`${name}: version ${from} and ${to}`}>
      <p>
        <Link to={`/contracts/${encodeURIComponent(name)}`}>Back to the bundle</Link>
      </p>
      <Loaded resource={before} what={`version ${from}`}>
        {(old) => (
          <Loaded resource={after} what={`version ${to}`}>
            {(now) => <TextLines lines={diffLines(old, now)} label={`What changed from ${from} to ${to}`} />}
          </Loaded>
        )}
      </Loaded>
    </Page>
  )
}
