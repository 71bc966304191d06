// The public surface of `edictum/storage/postgres`.
export { PostgresBackend, postgresDefaults, type PostgresBackendOptions } from './postgres-backend.js'
export type { PostgresPool, PostgresStatement } from './postgres-pool.js'
