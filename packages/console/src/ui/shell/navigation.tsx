import type { ReactNode } from 'react'
import type { ApprovalList } from '../../protocol/approvals.js'
import { useResource } from '../data/use-resource.js'
import { useMay } from '../data/use-visitor.js'
import { Link, usePlace } from '../navigation/router.js'
import { type PageEntry, pages } from './pages.js'

const groups = ['Monitor', 'Manage', 'Administer'] as const

export function Navigation({ onFollow }: { onFollow: () => void }): ReactNode {
  const mayAdminister = useMay('administer')
  const shown = pages.filter(({ permission }) => permission !== 'administer' || mayAdminister)
  return groups.map((group) => {
    const entries = shown.filter((entry) => entry.group === group)
    if (entries.length === 0) return null
    return (
      <div key={group} className="nav-group">
        <h2>{group}</h2>
        <ul>
          {entries.map((entry) => (
            <li key={entry.path}>
              <Entry entry={entry} onFollow={onFollow} />
            </li>
          ))}
        </ul>
      </div>
    )
  })
}

function Entry({ entry: { path, label }, onFollow }: { entry: PageEntry; onFollow: () => void }): ReactNode {
  const place = usePlace()
  const isHere = path === '/' ? place.path === '/' : place.path === path || place.path.startsWith(`${path}/`)
  return (
    // The link does what links do; the menu of small screens closes besides.
    <span role="presentation" onClick={onFollow}>
      <Link to={path} {...(isHere ? { 'aria-current': 'page' as const } : {})}>
        {label}
        {path === '/approvals' && <PendingCount />}
      </Link>
    </span>
  )
}

function PendingCount(): ReactNode {
  const { value } = useResource<ApprovalList>('/api/edictum/v1/approvals?status=pending&limit=1', [
    'approvals',
  ])
  if (value === undefined || value.pending === 0) return null
  return (
    <span className="count">
      {value.pending}
      <span className="visually-hidden"> waiting</span>
    </span>
  )
}
