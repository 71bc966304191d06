// Everything the console remembers, in the words of the console. One for both dialects.
import type { Database } from './database.js'
import { KeyStore } from './keys.js'
import { OperatorLog } from './operator-log.js'
import { TenantStore } from './tenants.js'
import { UserStore } from './users.js'

export interface Store {
  readonly database: Database
  readonly tenants: TenantStore
  readonly users: UserStore
  readonly keys: KeyStore
  readonly operatorLog: OperatorLog
}

export function createStore(database: Database): Store {
  return {
    database,
    tenants: new TenantStore(database),
    users: new UserStore(database),
    keys: new KeyStore(database),
    operatorLog: new OperatorLog(database),
  }
}
