import { describe, expect, it } from 'vitest'
import { OptionError, readOptions } from './options.js'

describe('readOptions', () => {
  it('has a default for everything', () => {
    expect(readOptions([], {})).toMatchObject({
      host: '127.0.0.1',
      port: 8000,
      dataFolder: expect.stringMatching(/\.edictum.console$/) as string,
      environment: 'production',
      trustedProxies: [],
      collapseApprovalsSeconds: 0,
      loginLink: 'when-needed',
    })
  })

  it('takes the command line before the environment', () => {
    const environment = {
      EDICTUM_PORT: '1',
      EDICTUM_HOST: '::1',
      EDICTUM_TRUSTED_PROXIES: '10.0.0.1, 10.0.0.2',
    }
    expect(readOptions(['--port', '2'], environment)).toMatchObject({
      host: '::1',
      port: 2,
      trustedProxies: ['10.0.0.1', '10.0.0.2'],
    })
  })

  it.each([
    [['--port', 'http'], {}],
    [['--port', '70000'], {}],
    [['--unknown'], {}],
    [['stray'], {}],
    [['--base-url', 'ftp://x'], {}],
    [['--base-url', 'x'], {}],
    [['--database-url', 'mysql://x'], {}],
    [['--redis-url', 'http://x'], {}],
    [[], { EDICTUM_REDIS_URL: 'cache:6379' }],
    [['--environment', 'a b'], {}],
    [['--collapse-approvals', '61'], {}],
    [[], { EDICTUM_SECRET: 'short' }],
  ] as const)('refuses %j with %j', (parameters, environment) => {
    expect(() => readOptions(parameters, environment)).toThrow(OptionError)
  })
})
