// Everything the console remembers, in the words of the console. One for both dialects.
import { AgentStore } from './agents.js'
import { AgentSessionStore } from './agent-sessions.js'
import { ApprovalStore } from './approvals.js'
import { AssignmentStore } from './assignments.js'
import { BundleStore } from './bundles.js'
import { CalibrationStore } from './calibration.js'
import { CandidateStore } from './candidates.js'
import type { Database } from './database.js'
import { DeploymentStore } from './deployments.js'
import { DecisionStore } from './decisions.js'
import { EventStore } from './events.js'
import { KeyStore } from './keys.js'
import { NotificationStore } from './notifications.js'
import { OperatorLog } from './operator-log.js'
import { OverviewStore } from './overview.js'
import { SessionStore } from './sessions.js'
import { TenantStore } from './tenants.js'
import { UserStore } from './users.js'

export interface Store {
  readonly database: Database
  readonly tenants: TenantStore
  readonly users: UserStore
  readonly keys: KeyStore
  readonly operatorLog: OperatorLog
  readonly sessions: SessionStore
  readonly events: EventStore
  readonly decisions: DecisionStore
  readonly overview: OverviewStore
  readonly agentSessions: AgentSessionStore
  readonly calibration: CalibrationStore
  readonly candidates: CandidateStore
  readonly approvals: ApprovalStore
  readonly bundles: BundleStore
  readonly deployments: DeploymentStore
  readonly assignments: AssignmentStore
  readonly agents: AgentStore
  readonly notifications: NotificationStore
}

export function createStore(database: Database): Store {
  return {
    database,
    tenants: new TenantStore(database),
    users: new UserStore(database),
    keys: new KeyStore(database),
    operatorLog: new OperatorLog(database),
    sessions: new SessionStore(database),
    events: new EventStore(database),
    decisions: new DecisionStore(database),
    overview: new OverviewStore(database),
    agentSessions: new AgentSessionStore(database),
    calibration: new CalibrationStore(database),
    candidates: new CandidateStore(database),
    approvals: new ApprovalStore(database),
    bundles: new BundleStore(database),
    deployments: new DeploymentStore(database),
    assignments: new AssignmentStore(database),
    agents: new AgentStore(database),
    notifications: new NotificationStore(database),
  }
}
