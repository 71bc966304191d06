import { describe, expect, it } from 'vitest'
import { Edictum, type EdictumOptions } from '../edictum.js'
import { createPass } from './passage.js'
import { answerApproval, type ApprovalQuestion } from './pausing-approvals.js'

const contracts = `
apiVersion: edictum/v1
kind: ContractBundle
metadata: { name: pauses }
defaults: { mode: enforce }
contracts:
  - id: ask-first
    type: pre
    tool: deploy
    when: { args.service: { exists: true } }
    then: { effect: approve, message: 'Deploy {args.service}?', timeout: 60 }
  - id: not-the-bank
    type: pre
    tool: deploy
    when: { args.service: { equals: bank } }
    then: { effect: deny, message: The bank stays. }
`

class Pause extends Error {}

/** A framework that stops at the first question, and calls again with the reply. */
function framework(options: EdictumOptions = {}) {
  const guard = Edictum.fromYamlString(contracts, options)
  const questions: ApprovalQuestion[] = []
  let runs = 0
  const call = async (service: string, reply?: unknown) => {
    const pausing = {
      ask: (question: ApprovalQuestion): unknown => {
        questions.push(question)
        if (reply === undefined) throw new Pause()
        return reply
      },
      isPause: (error: unknown) => error instanceof Pause,
    }
    return createPass(guard, {})(
      { toolName: 'deploy', args: { service }, context: undefined, toolUseId: 'call-1', pausing },
      { run: () => ++runs },
    )
  }
  return {
    guard,
    call,
    questions,
    runs: () => runs,
    actions: () => guard.localSink.events.map((e) => e.action),
  }
}

describe('approvals that pause the run', () => {
  it('throw what the framework wants, once the question is on record; nothing is denied', async () => {
    let denials = 0
    const { call, actions, questions, runs } = framework({ onDeny: () => void denials++ })
    await expect(call('web')).rejects.toThrow(Pause)
    expect(actions()).toEqual(['call_approval_requested'])
    expect(questions).toMatchObject([
      { message: 'Deploy web?', toolUseId: 'call-1', contractId: 'ask-first' },
    ])
    expect([runs(), denials]).toEqual([0, 0])
  })

  it('go on with the answer to the question', async () => {
    const { call, actions, questions, runs } = framework()
    await call('web').catch(() => undefined)
    const [question] = questions as [ApprovalQuestion]
    expect(await call('web', answerApproval(question, { approved: true }))).toMatchObject({
      kind: 'returned',
    })
    expect(runs()).toBe(1)
    expect(actions()).toEqual(['call_approval_requested', 'call_approval_granted', 'call_executed'])
  })

  it('are not asked for a call that another contract denies', async () => {
    const { call, questions } = framework()
    expect(await call('bank')).toMatchObject({ kind: 'denied', reason: 'The bank stays.' })
    expect(questions).toEqual([])
  })

  it('take an answer for nothing but the arguments it was given to', async () => {
    const { call, questions, runs, actions } = framework()
    await call('web').catch(() => undefined)
    const [question] = questions as [ApprovalQuestion]
    const reply = answerApproval(question, { approved: true })
    expect(await call('mail', reply)).toMatchObject({ reason: 'The answer was given to another question.' })
    expect(runs()).toBe(0)
    expect(actions()).toEqual(['call_approval_requested', 'call_approval_denied'])
  })

  it('take an answer that comes too late for a timeout', async () => {
    const { call, questions, actions } = framework()
    await call('web').catch(() => undefined)
    const [question] = questions as [ApprovalQuestion]
    const late = { ...answerApproval(question, { approved: true }), expiresAt: '2020-01-01T00:00:00.000Z' }
    expect(await call('web', late)).toMatchObject({ kind: 'denied' })
    expect(actions()).toEqual(['call_approval_requested', 'call_approval_timeout'])
  })

  it('deny when the question cannot be put on record, so that nobody is asked in secret', async () => {
    const { call } = framework({
      auditSink: {
        emit: () => {
          throw new Error('the disk is full')
        },
      },
    })
    expect(await call('web')).toMatchObject({ kind: 'denied' })
  })

  it('are not asked for in observe mode', async () => {
    const { call, questions, runs } = framework({ mode: 'observe' })
    expect(await call('web')).toMatchObject({ kind: 'returned' })
    expect([questions.length, runs()]).toEqual([0, 1])
  })
})
