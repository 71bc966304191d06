// Sessions as their events tell.
import { expect, it } from 'vitest'
import { describeOnBothStores } from './dialects.js'

describeOnBothStores('agent sessions', (console) => {
  const countsOf = async (session: string, events: readonly object[]): Promise<unknown> => {
    const cookie = await console().logIn()
    const body = {
      events: events.map((event, number) => ({
        timestamp: new Date(Date.now() + number).toISOString(),
        call_id: `${session}-${number}`,
        session_id: session,
        tool_name: 'read_file',
        ...event,
      })),
    }
    await console().ask('/api/edictum/v1/events', { body })
    const answer = await console().ask(`/api/edictum/v1/agent-sessions/${session}`, { cookie })
    const [{ attempts, executions, denied }] = answer.body.sessions
    return { attempts, executions, denied }
  }

  it('count what was asked for, also while it is under way', async () => {
    const events = [
      { action: 'call_allowed' },
      { action: 'call_executed' },
      { action: 'call_allowed' },
      { action: 'call_denied' },
    ]
    expect(await countsOf('enforced', events)).toEqual({ attempts: 3, executions: 1, denied: 1 })
  })

  it('count what ran under a guard that only observes as asked for', async () => {
    const events = [
      { action: 'call_would_deny', mode: 'observe' },
      { action: 'call_executed', mode: 'observe' },
      { action: 'call_allowed', mode: 'observe' },
      { action: 'call_failed', mode: 'observe' },
    ]
    expect(await countsOf('observed', events)).toEqual({ attempts: 2, executions: 2, denied: 0 })
  })
})
