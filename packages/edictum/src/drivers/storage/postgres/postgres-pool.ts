// The user's own pool, by the one method that is called on it.

/** `Pool` of pg; a `Client` will do where calls do not run beside each other. */
export interface PostgresPool {
  query(text: string): Promise<unknown>
  query(statement: PostgresStatement): Promise<{ readonly rows: readonly unknown[] }>
}

/** A statement with a name is parsed and planned once per connection. */
export interface PostgresStatement {
  name: string
  text: string
  values: unknown[]
}
