import type { ReactNode } from 'react'
import { Badge } from '../../parts/badge.js'
import { Table } from '../../parts/table.js'
import { UntrustedText } from '../../parts/untrusted-text.js'
import type { ContractRecord } from './event-fields.js'

export function ContractsEvaluated({
  records,
  total,
  isEnd,
}: {
  records: readonly ContractRecord[]
  total: number
  /** The event tells how the call ended; what was evaluated before is in the others of the call. */
  isEnd: boolean
}): ReactNode {
  return (
    <section aria-labelledby="contracts">
      <h2 id="contracts">Contracts evaluated</h2>
      {records.length === 0 ? (
        <p className="muted">
          {isEnd
            ? 'No postcondition looked at what the tool returned. What was evaluated before it ran is in the other events of the call, below.'
            : 'No contract applies to this call, or the event does not say.'}
        </p>
      ) : (
        <>
          {total > records.length && (
            <p className="muted">
              {records.length} of {total}: those that did not pass. The others are not on record by name.
            </p>
          )}
          <Table label="Contracts evaluated" headings={['Contract', 'Kind', 'Result', 'Why']}>
            {records.map((record, index) => (
              <tr key={`${index} ${record.name}`}>
                <td>
                  <UntrustedText text={record.name} />
                </td>
                <td>
                  <UntrustedText text={record.type} />
                </td>
                <td>
                  <Result record={record} />
                </td>
                <td>
                  {record.errorDetail !== null && (
                    <p>
                      Could not be evaluated: <UntrustedText text={record.errorDetail} most={500} />
                    </p>
                  )}
                  {record.message !== null && <UntrustedText text={record.message} most={1_000} />}
                </td>
              </tr>
            ))}
          </Table>
        </>
      )}
    </section>
  )
}

function Result({ record: { passed, isObserved, errorDetail } }: { record: ContractRecord }): ReactNode {
  if (passed) return <Badge tone="good">passed</Badge>
  if (errorDetail !== null) return <Badge tone="bad">error</Badge>
  return isObserved ? <Badge tone="open">would fire</Badge> : <Badge tone="bad">fired</Badge>
}
