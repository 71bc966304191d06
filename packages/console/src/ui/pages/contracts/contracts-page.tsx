// All bundles, and where they are in force.
import type { ReactNode } from 'react'
import { useResource } from '../../data/use-resource.js'
import { useMay } from '../../data/use-visitor.js'
import { Link } from '../../navigation/router.js'
import { Moment } from '../../parts/moment.js'
import { Page } from '../../parts/page.js'
import { Empty, Loaded } from '../../parts/states.js'
import { Table } from '../../parts/table.js'
import { Candidates } from './candidates.js'

interface BundleOverview {
  readonly name: string
  readonly latest_version: number
  readonly last_updated: string
  readonly contract_count: number
  readonly deployed_versions: Readonly<Record<string, number>>
}

export function ContractsPage(): ReactNode {
  const bundles = useResource<readonly BundleOverview[]>('/api/v1/bundles', ['bundles'])
  const mayPublish = useMay('publish')
  return (
    <Page title="Contracts" actions={mayPublish && <Link to="/contracts-new">Write a new bundle</Link>}>
      <Loaded resource={bundles} what="bundles">
        {(list) =>
          list.length === 0 ? (
            <Empty title="There is no bundle yet.">
              {mayPublish ? (
                <Link to="/contracts-new">Write the first one</Link>
              ) : (
                'A publisher or an administrator can write one'
              )}
              . Agents then fetch what is deployed in their environment.
            </Empty>
          ) : (
            <Table
              label="Bundles"
              headings={['Bundle', 'Latest version', 'Contracts', 'In force', 'Changed']}
            >
              {list.map((bundle) => (
                <tr key={bundle.name}>
                  <td>
                    <Link to={`/contracts/${encodeURIComponent(bundle.name)}`}>{bundle.name}</Link>
                  </td>
                  <td>{bundle.latest_version}</td>
                  <td>{bundle.contract_count}</td>
                  <td>
                    {Object.entries(bundle.deployed_versions)
                      .map(([env, version]) => `${env}: ${version}`)
                      .join(', ') || 'nowhere'}
                  </td>
                  <td>
                    <Moment at={bundle.last_updated} />
                  </td>
                </tr>
              ))}
            </Table>
          )
        }
      </Loaded>
      <Candidates />
    </Page>
  )
}
