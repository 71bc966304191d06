// One contract on trial beside the one that is enforced: both texts, what is different, and where that shows.
import type { ReactNode } from 'react'
import type { CandidateTexts, ContractText } from '../../../protocol/candidates.js'
import { withQuery } from '../../data/request.js'
import { useResource } from '../../data/use-resource.js'
import { Link } from '../../navigation/router.js'
import { Page } from '../../parts/page.js'
import { Empty, Loaded } from '../../parts/states.js'
import { UntrustedText } from '../../parts/untrusted-text.js'
import { diffLines } from './line-diff.js'
import { TextLines } from './text-lines.js'

export function CandidatePage({ contract }: { contract: string }): ReactNode {
  const texts = useResource<CandidateTexts>(
    `/api/edictum/v1/candidates/${encodeURIComponent(contract)}/texts`,
    ['bundles'],
  )
  const differences = withQuery('/decisions', {
    action: 'call_would_deny',
    contract: `${contract}:candidate`,
    since: '7d',
  })
  return (
    <Page title={`${contract}: enforced and on trial`}>
      <p>
        <Link to="/contracts">All contracts</Link> ·{' '}
        <Link to={differences}>Calls only the candidate would deny</Link>
      </p>
      <Loaded resource={texts} what="the two texts">
        {(shown) => <Sides texts={shown} />}
      </Loaded>
    </Page>
  )
}

function Sides({ texts: { enforced, candidate, changes } }: { texts: CandidateTexts }): ReactNode {
  const lines = diffLines(enforced?.text ?? '', candidate?.text ?? '')
  const isOneMissing = enforced === null || candidate === null
  const linesOf = (text: string, changed: 'removed' | 'added'): typeof lines =>
    isOneMissing
      ? text.split('\n').map((line) => ({ kind: 'same', text: line }))
      : lines.filter(({ kind }) => kind === 'same' || kind === changed)
  return (
    <>
      {changes.length > 0 && (
        <ul aria-label="What is different">
          {changes.map((change) => (
            <li key={change}>
              <UntrustedText text={change} most={500} />
            </li>
          ))}
        </ul>
      )}
      <div className="panels">
        <section aria-labelledby="enforced">
          <h2 id="enforced">Enforced</h2>
          <Side
            text={enforced}
            label="Text of the enforced contract"
            lines={(text) => linesOf(text, 'removed')}
          />
        </section>
        <section aria-labelledby="candidate">
          <h2 id="candidate">On trial</h2>
          <Side text={candidate} label="Text of the candidate" lines={(text) => linesOf(text, 'added')} />
        </section>
      </div>
    </>
  )
}

function Side({
  text,
  label,
  lines,
}: {
  text: ContractText | null
  label: string
  lines: (text: string) => Parameters<typeof TextLines>[0]['lines']
}): ReactNode {
  if (text === null)
    return (
      <Empty title="Its text is not stored here.">
        Agents brought it with them. <Link to="/contracts-new">Save it as a bundle</Link> to see it here.
      </Empty>
    )
  const { name, version, environments } = text
  return (
    <>
      <p className="muted">
        <Link to={`/contracts/${encodeURIComponent(name)}/edit/${version}`}>
          {name}, version {version}
        </Link>
        , {environments.length === 0 ? 'not deployed' : `in force in ${environments.join(', ')}`}
      </p>
      <TextLines lines={lines(text.text)} label={label} />
    </>
  )
}
