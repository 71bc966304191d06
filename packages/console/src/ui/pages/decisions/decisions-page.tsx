// Everything agents reported: searched, page by page, and as it comes.
import { type ReactNode, useState } from 'react'
import type { DecisionPage as PageOfDecisions } from '../../../protocol/decisions.js'
import { withQuery } from '../../data/request.js'
import { useResource } from '../../data/use-resource.js'
import { useQueryValues } from '../../navigation/router.js'
import { Moment } from '../../parts/moment.js'
import { Page } from '../../parts/page.js'
import { Pager } from '../../parts/pager.js'
import { Empty, Loaded } from '../../parts/states.js'
import { DecisionFilters, filterNames } from './decision-filters.js'
import { DecisionTable } from './decision-table.js'

export function DecisionsPage(): ReactNode {
  const [query, setQuery] = useQueryValues()
  const [isLive, setLive] = useState(true)
  const cursor = query.get('before') ?? ''
  const filters = Object.fromEntries(filterNames.map((name) => [name, query.get(name) ?? '']))
  const isFiltered = Object.values(filters).some((value) => value !== '')
  const path = withQuery('/api/edictum/v1/decisions', { ...filters, cursor })
  const isFollowing = isLive && cursor === ''
  const page = useResource<PageOfDecisions>(path, isFollowing ? ['events'] : [])
  return (
    <Page
      title="Decisions"
      actions={
        <button
          type="button"
          aria-pressed={isFollowing}
          onClick={() => setLive(!isLive)}
          disabled={cursor !== ''}
        >
          {isFollowing ? 'Live' : 'Paused'}
        </button>
      }
    >
      <DecisionFilters query={query} onChange={(changes) => setQuery({ ...changes, before: '' })} />
      <Loaded resource={page} what="decisions">
        {({ decisions, next_cursor: next, looked_back_to: lookedBackTo }) => (
          <>
            {decisions.length > 0 ? (
              <DecisionTable decisions={decisions} label="Decisions, newest first" />
            ) : (
              <Nothing isFiltered={isFiltered} hasMore={next !== null} />
            )}
            {lookedBackTo !== null && (
              <p role="status">
                Looked back to <Moment at={lookedBackTo} />. There are older events.
              </p>
            )}
            <Pager next={next} {...(lookedBackTo === null ? {} : { onward: 'Look further back' })} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Nothing({ isFiltered, hasMore }: { isFiltered: boolean; hasMore: boolean }): ReactNode {
  if (hasMore) return <Empty title="Nothing found so far.">Look further back, or filter for less.</Empty>
  if (isFiltered) return <Empty title="Nothing matches.">Filter for less, or for another time.</Empty>
  return (
    <Empty title="No agent has reported anything yet.">
      Give an agent the address of this console and an API key; what its guard decides appears here within
      seconds.
    </Empty>
  )
}
