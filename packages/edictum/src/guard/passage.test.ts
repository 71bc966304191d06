import { describe, expect, it } from 'vitest'
import { Edictum } from '../edictum.js'
import { createPass, type CallGuard, type FrameworkCall } from './passage.js'

const call: FrameworkCall<undefined> = { toolName: 'read', args: {}, context: undefined }

describe('the way of a framework through the guard', () => {
  it.each([null, undefined, 'text', 7, ['list']])('denies arguments that are no object: %j', async (args) => {
    let runs = 0
    const guard = new Edictum()
    const passage = await createPass(guard, {})({ ...call, args }, { run: () => ++runs })
    expect(passage.kind).toBe('denied')
    expect(runs).toBe(0)
    expect(guard.localSink.events).toMatchObject([
      { action: 'call_denied', decisionSource: 'harness:validation', toolArgs: { arguments: args } },
    ])
  })

  it('denies them in observe mode too, since no tool could take them', async () => {
    const guard = new Edictum({ mode: 'observe' })
    const passage = await createPass(guard, {})({ ...call, args: 'text' }, { run: () => 'ran' })
    expect(passage).toMatchObject({ kind: 'denied', reason: 'the arguments are not an object' })
  })

  it('has on record what could not be put to the contracts: arguments without end, a resolver that throws', async () => {
    const endless: Record<string, unknown> = {}
    endless['self'] = endless
    const fail = (): never => {
      throw new Error('no session')
    }
    for (const [args, options] of [[endless, {}] as const, [{}, { sessionId: fail }] as const]) {
      const guard = new Edictum()
      expect((await createPass(guard, options)({ ...call, args }, { run: () => 'ran' })).kind).toBe('denied')
      expect(guard.localSink.events.map(({ action }) => action)).toEqual(['call_denied'])
    }
  })

  it('opens results for contracts, and closes what they left', async () => {
    const open = (result: unknown) => ({
      said: (result as { text: string }).text,
      isFailure: false,
      close: (left: unknown) => ({ text: left }),
    })
    const guard = new Edictum({ successCheck: (_tool, said) => said === 'inside' })
    const passage = await createPass(guard, {})(call, { run: () => ({ text: 'inside' }), open })
    expect(passage).toEqual({ kind: 'returned', value: { text: 'inside' }, failed: false })
  })

  it('denies when the guard itself throws', async () => {
    let runs = 0
    const broken: CallGuard = { begin: async () => Promise.reject(new Error('out of order')) }
    const passage = await createPass(broken, {})(call, { run: () => ++runs })
    expect(passage).toMatchObject({ kind: 'denied', text: 'DENIED: out of order' })
    expect(runs).toBe(0)
  })

  it('holds back an output that could not be looked at to the end', async () => {
    const guard = new Edictum()
    const broken: CallGuard = {
      begin: async (...request) => {
        const admission = await guard.begin(...request)
        if (admission.kind === 'refused') return admission
        return {
          ...admission,
          kind: 'admitted',
          finish: async () => Promise.reject(new Error('out of order')),
        } as typeof admission
      },
    }
    const passage = await createPass(broken, {})(call, { run: () => 'a secret' })
    expect(passage).toEqual({ kind: 'suppressed', text: '[OUTPUT SUPPRESSED] out of order' })
  })

  it('takes the mark of a framework for a failure, unless the guard has a success check of its own', async () => {
    const tool = { run: () => ({ status: 'error' }), isFailure: () => true }
    const marked = await createPass(new Edictum(), {})(call, tool)
    expect(marked).toMatchObject({ kind: 'returned', failed: true, value: { status: 'error' } })
    const overruled = await createPass(new Edictum({ successCheck: () => true }), {})(call, tool)
    expect(overruled).toMatchObject({ kind: 'returned', failed: false })
  })
})
