// The public surface of `edictum/storage/redis`.
export { RedisBackend, redisDefaults, type RedisBackendOptions } from './redis-backend.js'
export type { IoRedisClient, NodeRedisClient } from './redis-client.js'
