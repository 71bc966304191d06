// The two clients in use, by the few methods that are called on them; a cluster or a pool of either has the same ones.
import type { RedisScript } from './redis-script.js'

/** `Redis` or `Cluster` of ioredis. */
export interface IoRedisClient {
  evalsha(sha: string, keyCount: number, ...keysAndArguments: string[]): Promise<unknown>
  eval(script: string, keyCount: number, ...keysAndArguments: string[]): Promise<unknown>
}

/** What `createClient`, `createClientPool` or `createCluster` of node-redis returns. */
export interface NodeRedisClient {
  evalSha(sha: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
}

/** Runs a script; the keys are in one slot of a cluster. */
export type ScriptRunner = (script: RedisScript, keys: string[], parameters: string[]) => Promise<unknown>

export function runnerOf(client: IoRedisClient | NodeRedisClient): ScriptRunner {
  const { byHash, byText } = 'evalSha' in client ? callsOfNodeRedis(client) : callsOfIoRedis(client)
  return async (script, keys, parameters) => {
    try {
      return await byHash(script.sha, keys, parameters)
    } catch (error) {
      // A server that was restarted or took over has never seen the script; sending its text also leaves it there.
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error
      return byText(script.text, keys, parameters)
    }
  }
}

type ScriptCall = (script: string, keys: string[], parameters: string[]) => Promise<unknown>

interface ScriptCalls {
  readonly byHash: ScriptCall
  readonly byText: ScriptCall
}

function callsOfNodeRedis(client: NodeRedisClient): ScriptCalls {
  return {
    byHash: async (sha, keys, parameters) => client.evalSha(sha, { keys, arguments: parameters }),
    byText: async (text, keys, parameters) => client.eval(text, { keys, arguments: parameters }),
  }
}

function callsOfIoRedis(client: IoRedisClient): ScriptCalls {
  return {
    byHash: async (sha, keys, parameters) => client.evalsha(sha, keys.length, ...keys, ...parameters),
    byText: async (text, keys, parameters) => client.eval(text, keys.length, ...keys, ...parameters),
  }
}
