// How the console is started: command line first, then environment variables, then defaults.
import { homedir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

/** The one place where a default is written. */
const consoleDefaults = {
  host: '127.0.0.1',
  port: 8000,
  /** Environment of the key that is made at the first start. */
  environment: 'production',
} as const

export interface ConsoleOptions {
  readonly host: string
  readonly port: number
  readonly dataFolder: string
  /** PostgreSQL; absent for the embedded file in the data folder. */
  readonly databaseUrl?: string
  /** Redis, for the counters of sessions; absent: they are in the database. */
  readonly redisUrl?: string
  /** How people and agents reach this server: in links, and https makes cookies secure. Absent: where it listens. */
  readonly baseUrl?: string
  readonly environment: string
  /** Shared by nodes that share a database; absent: kept in the data folder. */
  readonly secret?: string
  /** Addresses of proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[]
  /** Hosts inside the network that notifications may be sent to. */
  readonly webhookHosts?: readonly string[]
  /**
   * Equal approval requests within this time are taken for one; for clients that send a request again when an answer is
   * lost. Then one consent answers two calls that were meant to be two, so it is off unless asked for.
   */
  readonly collapseApprovalsSeconds: number
  readonly loginLink: 'when-needed' | 'always'
}

export class OptionError extends Error {
  override readonly name = 'OptionError'
}

export const usage = `usage: edictum console [options]
       edictum console backup <folder> [--data <folder>]    copies the embedded file, also while a console runs

  --port <number>          EDICTUM_PORT            ${consoleDefaults.port}; 0 takes any free port
  --host <address>         EDICTUM_HOST            ${consoleDefaults.host}
  --data <folder>          EDICTUM_DATA_DIR        ~/.edictum/console
  --database-url <url>     EDICTUM_DATABASE_URL    PostgreSQL instead of the embedded file
  --redis-url <url>        EDICTUM_REDIS_URL       Redis for the counters of sessions
  --base-url <url>         EDICTUM_BASE_URL        how others reach this server
  --environment <name>     EDICTUM_ENVIRONMENT     of the first API key, ${consoleDefaults.environment}
  --trusted-proxies <list> EDICTUM_TRUSTED_PROXIES addresses, separated by commas
  --webhook-hosts <list>   EDICTUM_WEBHOOK_HOSTS   hosts inside the network that may be notified
  --collapse-approvals <seconds>  EDICTUM_COLLAPSE_APPROVALS  equal requests within so many seconds are one; off
  --login-link                                     print a new login link of the first administrator
                           EDICTUM_SECRET          shared by the nodes of one database`

/** @throws OptionError */
export function readOptions(
  parameters: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): ConsoleOptions {
  const given = parseParameters(parameters)
  const host = given.host ?? environment['EDICTUM_HOST'] ?? consoleDefaults.host
  const port = readPort(given.port ?? environment['EDICTUM_PORT'])
  const databaseUrl = given['database-url'] ?? environment['EDICTUM_DATABASE_URL']
  if (databaseUrl !== undefined && !/^postgres(ql)?:\/\//.test(databaseUrl))
    throw new OptionError('the database URL must begin with postgres:// or postgresql://')
  const redisUrl = given['redis-url'] ?? environment['EDICTUM_REDIS_URL']
  if (redisUrl !== undefined && !(/^rediss?:\/\//.test(redisUrl) && URL.canParse(redisUrl)))
    throw new OptionError('the Redis URL must begin with redis:// or rediss://')
  const baseUrl = given['base-url'] ?? environment['EDICTUM_BASE_URL']
  if (baseUrl !== undefined && !isWebAddress(baseUrl))
    throw new OptionError(`the base URL must be an http or https URL: ${baseUrl}`)
  const secret = environment['EDICTUM_SECRET']
  if (secret !== undefined && secret.length < 32)
    throw new OptionError('EDICTUM_SECRET must have at least 32 characters')
  const proxies = given['trusted-proxies'] ?? environment['EDICTUM_TRUSTED_PROXIES'] ?? ''
  const environmentName =
    given.environment ?? environment['EDICTUM_ENVIRONMENT'] ?? consoleDefaults.environment
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(environmentName))
    throw new OptionError(`not the name of an environment: ${environmentName}`)
  return {
    host,
    port,
    dataFolder: given.data ?? environment['EDICTUM_DATA_DIR'] ?? join(homedir(), '.edictum', 'console'),
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
    ...(redisUrl === undefined ? {} : { redisUrl }),
    ...(baseUrl === undefined ? {} : { baseUrl: baseUrl.replace(/\/+$/, '') }),
    environment: environmentName,
    ...(secret === undefined ? {} : { secret }),
    trustedProxies: readList(proxies),
    webhookHosts: readList(given['webhook-hosts'] ?? environment['EDICTUM_WEBHOOK_HOSTS'] ?? ''),
    collapseApprovalsSeconds: readSeconds(
      given['collapse-approvals'] ?? environment['EDICTUM_COLLAPSE_APPROVALS'],
    ),
    loginLink: given['login-link'] === true ? 'always' : 'when-needed',
  }
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}

interface Given {
  readonly port?: string
  readonly host?: string
  readonly data?: string
  readonly 'database-url'?: string
  readonly 'redis-url'?: string
  readonly 'base-url'?: string
  readonly environment?: string
  readonly 'trusted-proxies'?: string
  readonly 'webhook-hosts'?: string
  readonly 'collapse-approvals'?: string
  readonly 'login-link'?: boolean
}

function parseParameters(parameters: readonly string[]): Given {
  const text = { type: 'string' } as const
  try {
    return parseArgs({
      args: [...parameters],
      options: {
        port: text,
        host: text,
        data: text,
        'database-url': text,
        'redis-url': text,
        'base-url': text,
        environment: text,
        'trusted-proxies': text,
        'webhook-hosts': text,
        'collapse-approvals': text,
        'login-link': { type: 'boolean' },
      },
    }).values
  } catch (error) {
    throw new OptionError(error instanceof Error ? error.message : String(error))
  }
}

function readPort(text: string | undefined): number {
  if (text === undefined) return consoleDefaults.port
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > 65_535) throw new OptionError(`not a port: ${text}`)
  return port
}

function readSeconds(text: string | undefined): number {
  if (text === undefined) return 0
  const seconds = Number(text)
  if (text.trim() === '' || !(seconds >= 0 && seconds <= 60))
    throw new OptionError(`not a number of seconds between 0 and 60: ${text}`)
  return seconds
}

function readList(text: string): readonly string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}
