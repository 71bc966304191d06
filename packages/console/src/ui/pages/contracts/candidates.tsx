// Contracts on trial beside those in force.
import type { ReactNode } from 'react'
import type { CandidateList } from '../../../protocol/candidates.js'
import { withQuery } from '../../data/request.js'
import { useResource } from '../../data/use-resource.js'
import { Link } from '../../navigation/router.js'
import { Badge } from '../../parts/badge.js'
import { Ago } from '../../parts/moment.js'
import { Loaded } from '../../parts/states.js'
import { Table } from '../../parts/table.js'
import { UntrustedText } from '../../parts/untrusted-text.js'

export function Candidates(): ReactNode {
  const candidates = useResource<CandidateList>('/api/edictum/v1/candidates?since=7d', ['events'])
  return (
    <section aria-labelledby="candidates">
      <h2 id="candidates">Candidates beside what is enforced</h2>
      <Loaded resource={candidates} what="candidates">
        {({ candidates: list }) =>
          list.length === 0 ? (
            <p className="muted">
              None was on trial in the last seven days. A bundle with <code>observe_alongside: true</code>,
              loaded after the one in force, is asked about every call and decides none.
            </p>
          ) : (
            <Table
              label="Candidates, last seven days"
              headings={[
                'Contract',
                'Only the candidate denies',
                'Both allow',
                'The enforced one denied',
                'Last difference',
                'By tool',
              ]}
            >
              {list.map((entry) => (
                <tr key={entry.candidate}>
                  <td>
                    <Link to={`/contracts-candidate/${encodeURIComponent(entry.contract)}`}>
                      <UntrustedText text={entry.contract} most={80} />
                    </Link>
                  </td>
                  <td>
                    {entry.differs === 0 ? (
                      <Badge tone="good">none</Badge>
                    ) : (
                      <Link
                        to={withQuery('/decisions', {
                          action: 'call_would_deny',
                          contract: entry.candidate,
                          since: '7d',
                        })}
                      >
                        {entry.differs.toLocaleString('en')} {entry.differs === 1 ? 'call' : 'calls'}
                      </Link>
                    )}
                  </td>
                  <td>{entry.agrees.toLocaleString('en')}</td>
                  <td>{entry.enforced_denials.toLocaleString('en')}</td>
                  <td>
                    {entry.last_difference_at === null ? 'never' : <Ago at={entry.last_difference_at} />}
                  </td>
                  <td>
                    {entry.tools.map(({ tool_name: tool, differs, agrees }) => (
                      <div key={tool}>
                        <UntrustedText text={tool} most={60} />:{' '}
                        {`${differs.toLocaleString('en')} of ${(differs + agrees).toLocaleString('en')}`}
                      </div>
                    ))}
                  </td>
                </tr>
              ))}
            </Table>
          )
        }
      </Loaded>
    </section>
  )
}
