// Every page: where it is, what it is called, and the keys that lead to it.
import type { ReactNode } from 'react'
import type { Permission } from '../data/use-visitor.js'
import { AccountPage } from '../pages/account/account-page.js'
import { ApprovalPage } from '../pages/approvals/approval-page.js'
import { ApprovalsPage } from '../pages/approvals/approvals-page.js'
import { CalibratePage } from '../pages/calibrate/calibrate-page.js'
import { BundlePage } from '../pages/contracts/bundle-page.js'
import { CandidatePage } from '../pages/contracts/candidate-page.js'
import { ContractsPage } from '../pages/contracts/contracts-page.js'
import { DiffPage } from '../pages/contracts/diff-page.js'
import { EditBundlePage, NewBundlePage } from '../pages/contracts/edit-page.js'
import { DecisionPage } from '../pages/decisions/decision-page.js'
import { DecisionsPage } from '../pages/decisions/decisions-page.js'
import { FleetPage } from '../pages/fleet/fleet-page.js'
import { KeysPage } from '../pages/keys/keys-page.js'
import { ChannelPage } from '../pages/notifications/channel-page.js'
import { NotificationsPage } from '../pages/notifications/notifications-page.js'
import { OperatorLogPage } from '../pages/operator-log/operator-log-page.js'
import { OverviewPage } from '../pages/overview/overview-page.js'
import { PlaygroundPage } from '../pages/playground/playground-page.js'
import { SessionPage } from '../pages/sessions/session-page.js'
import { SessionsPage } from '../pages/sessions/sessions-page.js'
import { SettingsPage } from '../pages/settings/settings-page.js'
import { UsersPage } from '../pages/users/users-page.js'

export interface PageEntry {
  readonly path: string
  readonly render: (params: Readonly<Record<string, string>>) => ReactNode
  /** What the navigation calls it; pages without are reached from others. */
  readonly label?: string
  readonly group?: 'Monitor' | 'Manage' | 'Administer'
  /** Pressed after g. */
  readonly key?: string
  readonly permission?: Permission
}

export const pages: readonly PageEntry[] = [
  { path: '/', label: 'Overview', group: 'Monitor', key: 'o', render: () => <OverviewPage /> },
  {
    path: '/approvals',
    label: 'Approvals',
    group: 'Monitor',
    key: 'a',
    render: () => <ApprovalsPage />,
  },
  { path: '/approvals/{id}', render: ({ id = '' }) => <ApprovalPage key={id} id={id} /> },
  { path: '/decisions', label: 'Decisions', group: 'Monitor', key: 'd', render: () => <DecisionsPage /> },
  { path: '/decisions/{id}', render: ({ id = '' }) => <DecisionPage key={id} id={id} /> },
  { path: '/sessions', label: 'Sessions', group: 'Monitor', key: 's', render: () => <SessionsPage /> },
  { path: '/sessions/{id}', render: ({ id = '' }) => <SessionPage key={id} id={id} /> },
  { path: '/fleet', label: 'Fleet', group: 'Monitor', key: 'f', render: () => <FleetPage /> },
  { path: '/contracts', label: 'Contracts', group: 'Manage', key: 'c', render: () => <ContractsPage /> },
  { path: '/contracts-new', render: () => <NewBundlePage /> },
  {
    path: '/contracts-candidate/{contract}',
    render: ({ contract = '' }) => <CandidatePage key={contract} contract={contract} />,
  },
  { path: '/contracts/{name}', render: ({ name = '' }) => <BundlePage key={name} name={name} /> },
  {
    path: '/contracts/{name}/edit/{version}',
    render: ({ name = '', version = '' }) => <EditBundlePage key={name} name={name} version={version} />,
  },
  {
    path: '/contracts/{name}/diff/{from}/{to}',
    render: ({ name = '', from = '', to = '' }) => <DiffPage name={name} from={from} to={to} />,
  },
  { path: '/playground', label: 'Playground', group: 'Manage', key: 'p', render: () => <PlaygroundPage /> },
  { path: '/calibrate', label: 'Calibrate', group: 'Manage', key: 'b', render: () => <CalibratePage /> },
  { path: '/keys', label: 'Keys', group: 'Administer', key: 'k', render: () => <KeysPage /> },
  {
    path: '/notifications',
    label: 'Notifications',
    group: 'Administer',
    key: 'n',
    render: () => <NotificationsPage />,
  },
  { path: '/notifications/{id}', render: ({ id = '' }) => <ChannelPage key={id} id={id} /> },
  {
    path: '/users',
    label: 'Users',
    group: 'Administer',
    key: 'u',
    permission: 'administer',
    render: () => <UsersPage />,
  },
  {
    path: '/operator-log',
    label: 'Operator log',
    group: 'Administer',
    key: 'l',
    permission: 'administer',
    render: () => <OperatorLogPage />,
  },
  {
    path: '/settings',
    label: 'Settings',
    group: 'Administer',
    permission: 'administer',
    render: () => <SettingsPage />,
  },
  { path: '/account', render: () => <AccountPage /> },
]
