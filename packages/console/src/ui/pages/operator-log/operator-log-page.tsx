// What people and programs changed in the console.
import type { ReactNode } from 'react'
import { withQuery } from '../../data/request.js'
import { useResource } from '../../data/use-resource.js'
import { useQueryValues } from '../../navigation/router.js'
import { Moment } from '../../parts/moment.js'
import { Page } from '../../parts/page.js'
import { Pager } from '../../parts/pager.js'
import { Empty, Loaded } from '../../parts/states.js'
import { Table } from '../../parts/table.js'
import { UntrustedText } from '../../parts/untrusted-text.js'

interface Entry {
  readonly id: number
  readonly at: string
  readonly actor: string
  readonly action: string
  readonly subject: string
  readonly detail: unknown
}

const pageLength = 50

export function OperatorLogPage(): ReactNode {
  const [query] = useQueryValues()
  const before = query.get('before') ?? ''
  const log = useResource<{ readonly entries: readonly Entry[] }>(
    withQuery('/api/v1/operator-log', { before, limit: pageLength }),
  )
  return (
    <Page title="Operator log">
      <Loaded resource={log} what="the log">
        {({ entries }) =>
          entries.length === 0 ? (
            <Empty title="Nothing older.">
              Logins, decisions, keys, users and deployments are written down here.
            </Empty>
          ) : (
            <>
              <Table
                label="Operator log, newest first"
                headings={['Time', 'Who', 'Did', 'To what', 'Detail']}
              >
                {entries.map(({ id, at, actor, action, subject, detail }) => (
                  <tr key={id}>
                    <td>
                      <Moment at={at} />
                    </td>
                    <td>
                      <UntrustedText text={actor} most={80} />
                    </td>
                    <td>
                      <code>{action}</code>
                    </td>
                    <td>
                      <UntrustedText text={subject} most={60} />
                    </td>
                    <td>
                      <UntrustedText text={detailText(detail)} most={200} />
                    </td>
                  </tr>
                ))}
              </Table>
              <Pager next={entries.length === pageLength ? String(entries.at(-1)?.id ?? '') : null} />
            </>
          )
        }
      </Loaded>
    </Page>
  )
}

function detailText(detail: unknown): string {
  const text = typeof detail === 'string' ? detail : JSON.stringify(detail)
  return text === '{}' ? '' : text
}
