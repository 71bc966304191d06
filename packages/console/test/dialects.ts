// The same tests on both stores.
import { afterAll, beforeAll, describe } from 'vitest'
import { type PostgresServer, startPostgres } from './postgres.js'
import { startTestConsole, type TestConsole, type TestOptions } from './test-console.js'

/** Runs the tests on the embedded file and on PostgreSQL, each with a console of its own. */
export function describeOnBothStores(
  title: string,
  tests: (console: () => TestConsole) => void,
  options: TestOptions = {},
): void {
  describe(`${title}, on the embedded file`, () => {
    let running: TestConsole
    beforeAll(async () => {
      running = await startTestConsole(options)
    })
    afterAll(() => running.stop())
    tests(() => running)
  })
  describe(`${title}, on PostgreSQL`, () => {
    let running: TestConsole
    let server: PostgresServer
    beforeAll(async () => {
      server = await startPostgres()
      running = await startTestConsole({ ...options, databaseUrl: await server.createDatabase() })
    })
    afterAll(async () => {
      await running.stop()
      await server.stop()
    })
    tests(() => running)
  })
}
