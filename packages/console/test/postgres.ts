// A PostgreSQL of its own for tests, with as many empty databases as they need.
import pg from 'pg'

export interface PostgresServer {
  /** An empty database on this server. */
  readonly createDatabase: () => Promise<string>
  /** Ends it as a crash would; its data stay. */
  readonly kill: () => Promise<void>
  readonly start: () => Promise<void>
  readonly stop: () => Promise<void>
}

type Service = Omit<PostgresServer, 'createDatabase'> & { readonly url: string }

const services = new URL('../../../scripts/services.mjs', import.meta.url).href

export async function startPostgres(): Promise<PostgresServer> {
  const module = (await import(services)) as { startPostgres: () => Promise<Service> }
  const service = await module.startPostgres()
  let databases = 0
  return {
    ...service,
    createDatabase: async () => {
      const name = `console_${++databases}`
      const client = new pg.Client({ connectionString: service.url })
      await client.connect()
      await client.query(`CREATE DATABASE ${name}`)
      await client.end()
      return service.url.replace(/postgres$/, name)
    },
  }
}
