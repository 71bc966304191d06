import { describe, expect, it } from 'vitest'
import { runUpkeep } from '../src/server/upkeep.js'
import { describeOnBothStores } from './dialects.js'

const dayMs = 86_400_000
let later = 0

describeOnBothStores(
  'upkeep',
  (consoleOf) => {
    it('removes events when they are older than the administrator wants them kept, and their counts', async () => {
      const { ask, logIn, running } = consoleOf()
      const cookie = await logIn()
      const at = (days: number) => new Date(Date.now() - days * dayMs).toISOString()
      const events = [1, 10, 40].map((days) => ({
        tool_name: 'x',
        action: 'call_denied',
        timestamp: at(days),
      }))
      await ask('/v1/events', { body: { events } })
      const set = { cookie, method: 'PUT', body: { event_days: 30 } }
      expect((await ask('/api/v1/settings/retention', set)).body).toEqual({ event_days: 30 })
      expect((await ask('/api/v1/settings/retention', { cookie })).body).toEqual({ event_days: 30 })
      await runUpkeep(running.services)
      expect((await ask('/v1/events')).body.events).toHaveLength(2)
      const histogram = (await ask('/api/v1/events/histogram?since=100d&bucket_seconds=86400')).body
      expect(histogram.map(({ denied }: { denied: number }) => denied)).toEqual([1, 1])
    })

    describe('of what has expired', () => {
      it('changes nothing that anybody sees, and frees the room', async () => {
        const { ask, running } = consoleOf()
        const { database } = running.services.store
        await ask('/v1/sessions/fading', { method: 'PUT', body: { value: 'x' } })
        const count = async () =>
          (await database.all<{ n: number }>('SELECT count(*) AS n FROM session_values'))[0]!.n
        await runUpkeep(running.services)
        expect(await count()).toBe(1)
        later = 8 * dayMs
        expect((await ask('/v1/sessions/fading')).status).toBe(404)
        expect((await ask('/v1/sessions/fading/increment', { body: {} })).body).toEqual({ value: 1 })
        later = 16 * dayMs
        await runUpkeep(running.services)
        expect(await count()).toBe(0)
        later = 0
      })
    })
  },
  { now: () => Date.now() + later },
)
