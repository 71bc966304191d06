// A Redis of its own for tests.

export interface RedisServer {
  readonly url: string
  /** Ends it as a crash would; its data stay. */
  readonly kill: () => Promise<void>
  readonly start: () => Promise<void>
  readonly stop: () => Promise<void>
}

const services = new URL('../../../scripts/services.mjs', import.meta.url).href

export async function startRedis(): Promise<RedisServer> {
  const module = (await import(services)) as { startRedis: () => Promise<RedisServer> }
  return module.startRedis()
}
