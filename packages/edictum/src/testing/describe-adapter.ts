// What an adapter must do, whatever the framework: the same behaviours for all, for any test runner that has
// `describe` and `it`. The kit drives the real framework with a scripted model; this file only looks at what came of it.
import assert from 'node:assert/strict'
import { composeBundles } from '../contracts/compose.js'
import { loadBundleString } from '../contracts/load.js'
import { MemoryApprovalBackend } from '../drivers/approval/memory.js'
import { Edictum, type EdictumOptions } from '../edictum.js'
import type { AdapterOptions } from '../guard/passage.js'
import type { Finding } from '../guard/findings.js'
import { precondition } from '../guard/verdict.js'

/** One call of the scripted model. */
export interface ScriptedCall {
  readonly id: string
  readonly tool: string
  /** An object; in one behaviour a list, as a confused model might send it. */
  readonly args: Readonly<Record<string, unknown>> | readonly unknown[]
}

export interface ToolContext {
  readonly signal?: AbortSignal | undefined
}

export interface AdapterScenario {
  readonly guard: Edictum
  /** By name; every tool takes an object and returns plain data, or throws. */
  readonly tools: Readonly<
    Record<string, (args: Readonly<Record<string, unknown>>, context: ToolContext) => unknown>
  >
  /** The calls of one model step, in order. */
  readonly calls: readonly ScriptedCall[]
  readonly options: Pick<AdapterOptions<unknown>, 'sessionId' | 'principal' | 'onFindings'>
  /** Passed to the framework as the way to cancel the run. */
  readonly signal?: AbortSignal
}

export interface AdapterKit {
  readonly describe: (name: string, body: () => void) => void
  readonly it: (name: string, body: () => Promise<void>) => void
  /** Runs one model step through the framework and gives back what the model was told about each call, by call id. */
  readonly play: (scenario: AdapterScenario) => Promise<ReadonlyMap<string, string>>
  /** The adapter's own probe, if it has been given the chance. */
  readonly selfTest: () => Promise<{ readonly ok: boolean; readonly detail: string }>
  /** Behaviours the framework cannot have, with the reason; everything else is tested. */
  readonly limits?: Partial<Record<AdapterBehaviour, string>>
}

export const adapterBehaviours = [
  'a denied call never runs and the model is told why',
  'an allowed call runs once, with the arguments that were judged',
  'a result is redacted in the shape it has',
  'an error is redacted',
  'an output a contract holds back does not reach the model',
  'an approved call runs',
  'a call whose approval is denied does not run',
  'a call whose approval times out does not run',
  'observe mode changes nothing the model sees',
  'candidates are on record and change nothing',
  'parallel calls are kept apart',
  'a session limit is exact under parallel calls',
  'a session id by call keeps limits apart',
  'a principal by call is the one contracts see',
  'a throwing sink denies',
  'a failing store denies',
  'a throwing contract denies',
  'cancelling reaches the tool',
  'arguments that are no object never run, and are on record',
  'a tool may be called constructor',
  'findings are told once',
  'the record is the same as that of run()',
  'a wiring that does not stop calls is found by the self-test',
] as const

export type AdapterBehaviour = (typeof adapterBehaviours)[number]

const contracts = `
apiVersion: edictum/v1
kind: ContractBundle
metadata: { name: adapter-suite }
defaults: { mode: enforce }
tools:
  read_record: { side_effect: read }
  read_secret: { side_effect: read }
  count: { side_effect: read }
contracts:
  - id: no-deletes
    type: pre
    tool: delete_record
    when: { args.id: { exists: true } }
    then: { effect: deny, message: 'Records are kept: {args.id} stays.' }
  - id: ask-before-deploy
    type: pre
    tool: deploy
    when: { args.service: { exists: true } }
    then: { effect: approve, message: 'Deploy {args.service}?', timeout: 1 }
  - id: only-ada
    type: pre
    tool: whoami
    when: { not: { principal.user_id: { equals: ada } } }
    then: { effect: deny, message: Only Ada may ask. }
  - id: no-ssn
    type: post
    tool: '*'
    when: { output.text: { matches: '\\b\\d{3}-\\d{2}-\\d{4}\\b' } }
    then: { effect: redact, message: A social security number was found. }
  - id: no-launch-codes
    type: post
    tool: read_secret
    when: { output.text: { contains: launch code } }
    then: { effect: deny, message: Launch codes stay here. }
  - id: three-counts
    type: session
    limits: { max_calls_per_tool: { count: 3 } }
    then: { effect: deny, message: Three are enough. }
`

const candidates = `
apiVersion: edictum/v1
kind: ContractBundle
metadata: { name: candidates }
defaults: { mode: enforce }
observe_alongside: true
contracts:
  - id: no-reads
    type: pre
    tool: read_record
    when: { args.nothing: { exists: false } }
    then: { effect: deny, message: No reads at all. }
`

const ssn = ['123', '45', '6789'].join('-')

interface Play {
  readonly told: ReadonlyMap<string, string>
  readonly guard: Edictum
}

export function describeAdapter(name: string, kit: AdapterKit): void {
  const { describe, it, limits = {} } = kit
  const behaviour = (named: AdapterBehaviour, body: () => Promise<void>): void => {
    if (limits[named] === undefined) it(named, body)
  }
  const guardWith = (options: EdictumOptions = {}): Edictum => Edictum.fromYamlString(contracts, options)
  const play = async (
    guard: Edictum,
    scenario: Pick<AdapterScenario, 'tools' | 'calls'> & Partial<AdapterScenario>,
  ): Promise<Play> => ({ guard, told: await kit.play({ guard, options: {}, ...scenario }) })
  const call = (tool: string, args: ScriptedCall['args'] = {}, id = 'call-1'): ScriptedCall => ({
    id,
    tool,
    args,
  })
  const actions = (guard: Edictum): readonly string[] => guard.localSink.events.map(({ action }) => action)
  const toldAbout = ({ told }: Play, id = 'call-1'): string =>
    told.get(id) ?? assert.fail(`the model was told nothing about ${id}`)

  describe(`${name} as an adapter`, () => {
    behaviour('a denied call never runs and the model is told why', async () => {
      let runs = 0
      const played = await play(guardWith(), {
        tools: { delete_record: () => ++runs },
        calls: [call('delete_record', { id: 'r7' })],
      })
      assert.equal(runs, 0)
      assert.match(toldAbout(played), /Records are kept: r7 stays\./)
      assert.deepEqual(actions(played.guard), ['call_denied'])
    })

    behaviour('an allowed call runs once, with the arguments that were judged', async () => {
      const seen: unknown[] = []
      const tools = {
        read_record: (args: unknown) => {
          seen.push(args)
          return { id: 'r7', owner: 'Grace' }
        },
      }
      const played = await play(guardWith(), { tools, calls: [call('read_record', { id: 'r7', depth: 2 })] })
      assert.deepEqual(seen, [{ id: 'r7', depth: 2 }])
      assert.match(toldAbout(played), /Grace/)
      assert.deepEqual(actions(played.guard), ['call_allowed', 'call_executed'])
    })

    behaviour('a result is redacted in the shape it has', async () => {
      const tools = { read_record: () => ({ owner: 'Grace', notes: [`number ${ssn}`] }) }
      const text = toldAbout(await play(guardWith(), { tools, calls: [call('read_record')] }))
      assert.doesNotMatch(text, new RegExp(ssn))
      assert.match(text, /owner/)
      assert.match(text, /Grace/)
      assert.match(text, /number \[REDACTED\]/)
    })

    behaviour('an error is redacted', async () => {
      const tools = {
        read_record: () => {
          throw new Error(`no record for ${ssn}`)
        },
      }
      const played = await play(guardWith(), { tools, calls: [call('read_record')] })
      assert.doesNotMatch(toldAbout(played), new RegExp(ssn))
      assert.match(toldAbout(played), /no record for/)
      assert.deepEqual(actions(played.guard), ['call_allowed', 'call_failed'])
    })

    behaviour('an output a contract holds back does not reach the model', async () => {
      const tools = { read_secret: () => ({ text: 'the launch code is 0000' }) }
      const text = toldAbout(await play(guardWith(), { tools, calls: [call('read_secret')] }))
      assert.doesNotMatch(text, /0000/)
      assert.match(text, /Launch codes stay here/)
    })

    const deploy = async (
      answer: 'approve' | 'deny' | 'nothing',
    ): Promise<Play & { readonly runs: number }> => {
      let runs = 0
      const approvalBackend = new MemoryApprovalBackend({
        onRequest: ({ approvalId }) => {
          if (answer === 'approve') approvalBackend.approve(approvalId, { approver: 'grace' })
          if (answer === 'deny')
            approvalBackend.deny(approvalId, { approver: 'grace', reason: 'Not on a Friday.' })
        },
      })
      const tools = { deploy: () => ({ deployed: ++runs }) }
      const played = await play(guardWith({ approvalBackend }), {
        tools,
        calls: [call('deploy', { service: 'web' })],
      })
      return { ...played, runs }
    }

    behaviour('an approved call runs', async () => {
      const played = await deploy('approve')
      assert.equal(played.runs, 1)
      assert.match(toldAbout(played), /deployed/)
    })

    behaviour('a call whose approval is denied does not run', async () => {
      const played = await deploy('deny')
      assert.equal(played.runs, 0)
      assert.match(toldAbout(played), /Not on a Friday\./)
    })

    behaviour('a call whose approval times out does not run', async () => {
      assert.equal((await deploy('nothing')).runs, 0)
    })

    behaviour('observe mode changes nothing the model sees', async () => {
      let runs = 0
      const tools = { delete_record: () => ({ deleted: ++runs, by: ssn }) }
      const played = await play(guardWith({ mode: 'observe' }), {
        tools,
        calls: [call('delete_record', { id: 'r7' })],
      })
      assert.equal(runs, 1)
      assert.match(toldAbout(played), new RegExp(ssn))
      assert.ok(actions(played.guard).includes('call_would_deny'))
    })

    behaviour('parallel calls are kept apart', async () => {
      const ids = ['call-1', 'call-2', 'call-3', 'call-4']
      const tools = {
        read_record: async ({ id }: Readonly<Record<string, unknown>>) => {
          await new Promise((done) => setTimeout(done, id === 'of call-1' ? 30 : 1))
          return { answer: id }
        },
      }
      const { told } = await play(guardWith(), {
        tools,
        calls: ids.map((id) => call('read_record', { id: `of ${id}` }, id)),
      })
      for (const id of ids) assert.match(told.get(id) ?? '', new RegExp(`of ${id}`))
    })

    const count = async (times: number, options: AdapterScenario['options'] = {}): Promise<number> => {
      let runs = 0
      const tools = {
        count: async () => {
          await new Promise((done) => setTimeout(done, 2))
          return { count: ++runs }
        },
      }
      const calls = Array.from({ length: times }, (_, index) => call('count', { index }, `call-${index + 1}`))
      await play(guardWith(), { tools, calls, options })
      return runs
    }

    behaviour('a session limit is exact under parallel calls', async () => {
      assert.equal(await count(8), 3)
    })

    behaviour('a session id by call keeps limits apart', async () => {
      let session = 0
      assert.equal(await count(8, { sessionId: () => `session-${session++ % 2}` }), 6)
    })

    behaviour('a principal by call is the one contracts see', async () => {
      let runs = 0
      const tools = { whoami: () => ({ runs: ++runs }) }
      await play(guardWith(), { tools, calls: [call('whoami')] })
      assert.equal(runs, 0)
      await play(guardWith(), {
        tools,
        calls: [call('whoami')],
        options: { principal: () => ({ userId: 'ada' }) },
      })
      assert.equal(runs, 1)
    })

    const failing = async (options: EdictumOptions): Promise<void> => {
      let runs = 0
      const played = await play(guardWith(options), {
        tools: { read_record: () => ({ runs: ++runs }) },
        calls: [call('read_record')],
      })
      assert.equal(runs, 0)
      toldAbout(played)
    }

    behaviour('a throwing sink denies', async () => {
      await failing({
        auditSink: {
          emit: () => {
            throw new Error('the disk is full')
          },
        },
      })
    })

    behaviour('a failing store denies', async () => {
      const away = async (): Promise<never> => Promise.reject(new Error('the store is away'))
      await failing({ backend: { get: away, set: away, delete: away, increment: away } })
    })

    behaviour('a throwing contract denies', async () => {
      await failing({
        contracts: [
          precondition('*', () => {
            throw new Error('a bug in a contract')
          }),
        ],
      })
    })

    behaviour('candidates are on record and change nothing', async () => {
      const layers = [contracts, candidates].map((text) => loadBundleString(text))
      const { bundle } = composeBundles(
        ...layers.map(({ bundle: layer }, index) => [layer, `layer-${index}`] as const),
      )
      const guard = new Edictum({}, { bundle, policyVersion: 'suite' })
      const played = await play(guard, {
        tools: { read_record: () => ({ owner: 'Grace' }) },
        calls: [call('read_record')],
      })
      assert.match(toldAbout(played), /Grace/)
      assert.ok(actions(guard).includes('call_would_deny'))
    })

    behaviour('cancelling reaches the tool', async () => {
      const controller = new AbortController()
      let cancelled = false
      const tools = {
        read_record: async (_args: unknown, { signal }: ToolContext) =>
          new Promise((done) => {
            signal?.addEventListener('abort', () => {
              cancelled = true
              done({ stopped: true })
            })
            setTimeout(() => controller.abort(), 5)
          }),
      }
      await play(guardWith(), { tools, calls: [call('read_record')], signal: controller.signal }).catch(
        () => undefined,
      )
      assert.equal(cancelled, true)
    })

    behaviour('arguments that are no object never run, and are on record', async () => {
      let runs = 0
      const { guard } = await play(guardWith(), {
        tools: { delete_record: () => ++runs },
        calls: [call('delete_record', ['r7'])],
      })
      assert.equal(runs, 0)
      assert.deepEqual(actions(guard), ['call_denied'])
    })

    behaviour('a tool may be called constructor', async () => {
      let runs = 0
      const played = await play(guardWith(), {
        tools: { constructor: () => ({ built: ++runs }) },
        calls: [call('constructor')],
      })
      assert.equal(runs, 1)
      assert.match(toldAbout(played), /built/)
    })

    behaviour('findings are told once', async () => {
      const told: (readonly Finding[])[] = []
      const onFindings = (findings: readonly Finding[]): void => void told.push(findings)
      await play(guardWith(), {
        tools: { read_record: () => ({ note: ssn }) },
        calls: [call('read_record')],
        options: { onFindings },
      })
      assert.deepEqual(
        told.map((findings) => findings.map(({ contractId }) => contractId)),
        [['no-ssn']],
      )
    })

    behaviour('the record is the same as that of run()', async () => {
      const tools: AdapterScenario['tools'] = {
        read_record: () => ({ note: ssn }),
        delete_record: () => ({}),
        read_secret: () => {
          throw new Error('broken')
        },
      }
      for (const tool of Object.keys(tools)) {
        const direct = guardWith()
        await direct.run(tool, { id: 'r7' }, async () => tools[tool]?.({}, {})).catch(() => undefined)
        const played = await play(guardWith(), { tools, calls: [call(tool, { id: 'r7' })] })
        const facts = (guard: Edictum) =>
          guard.localSink.events.map(
            ({
              action,
              toolName,
              toolArgs,
              toolSuccess,
              decisionSource,
              decisionName,
              reason,
              contractsEvaluated,
            }) => ({
              action,
              toolName,
              toolArgs,
              toolSuccess,
              decisionSource,
              decisionName,
              reason,
              contractsEvaluated,
            }),
          )
        assert.deepEqual(facts(played.guard), facts(direct))
      }
    })

    behaviour('a wiring that does not stop calls is found by the self-test', async () => {
      const { ok, detail } = await kit.selfTest()
      assert.equal(ok, true, detail)
    })
  })
}
