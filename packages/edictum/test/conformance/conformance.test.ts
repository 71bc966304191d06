// Runs the conformance cases against the sources, and checks that the runner itself fails when it should.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import * as library from '../../src/index.js'

interface CaseResult {
  readonly id: string
  readonly status: 'passed' | 'waiting' | 'known-bad' | 'failed'
  readonly reason: string
}

type SuiteResults = readonly { readonly suite: string; readonly cases: readonly CaseResult[] }[]

type RunConformance = (options: {
  readonly library: unknown
  readonly casesDirectory: string
  readonly sharedDirectory?: string
}) => Promise<SuiteResults>

const repository = fileURLToPath(new URL('../../../..', import.meta.url))
const { runConformance, summarizeResults } = (await import(join(repository, 'scripts/conformance.mjs'))) as {
  runConformance: RunConformance
  summarizeResults: (results: SuiteResults, format: 'table' | 'json') => { text: string; exitCode: number }
}

const results = await runConformance({
  library,
  casesDirectory: join(repository, 'conformance'),
  sharedDirectory: join(repository, '../shared/conformance/fixtures'),
})

describe('the conformance cases', () => {
  it.each(results)('hold in $suite', ({ cases }) => {
    expect(cases.filter(({ status }) => status === 'failed')).toEqual([])
  })
})

describe('the conformance runner', () => {
  const directories: string[] = []
  afterAll(() => {
    for (const directory of directories) rmSync(directory, { recursive: true })
  })

  async function run(
    files: Readonly<Record<string, string>>,
    tested: unknown = library,
  ): Promise<readonly CaseResult[]> {
    const casesDirectory = mkdtempSync(join(tmpdir(), 'conformance-gate-'))
    directories.push(casesDirectory)
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(casesDirectory, path)), { recursive: true })
      writeFileSync(join(casesDirectory, path), text)
    }
    return (await runConformance({ library: tested, casesDirectory })).flatMap(({ cases }) => cases)
  }

  const sound = '{ id: a, note: n, when: { args.x: { equals: 1 } }, expected: { verdict: allowed } }'
  const inVerdicts = (cases: string) => ({
    'verdicts/topic/file.yaml': `suite: s\nnote: n\ncases: ${cases}\n`,
  })
  const inReject = (cases: string) => ({
    'contracts/reject/file.yaml': `suite: s\nnote: n\ncases: ${cases}\n`,
  })
  const inComposition = (cases: string) => ({
    'composition/file.yaml': `suite: s\nnote: n\ncases: ${cases}\n`,
  })

  it('passes a sound case', async () => {
    expect(await run(inVerdicts(`[${sound}]`))).toEqual([{ id: 'a', status: 'passed', reason: '' }])
  })

  it.each([
    ['without any file', {}, 'no case file'],
    ['without any case', inVerdicts('[]'), 'holds no case'],
    ['in a folder of no known kind', { 'other/file.yaml': 'cases: []' }, 'holds no kind of case'],
    ['that is not YAML', { 'verdicts/file.yaml': 'cases: [' }, 'not readable as YAML'],
    ['that is not a mapping', { 'verdicts/file.yaml': '- x' }, 'not a mapping'],
    [
      'with an unknown key',
      { 'verdicts/file.yaml': `suite: s\nextra: 1\ncases: [${sound}]` },
      'unknown key `extra`',
    ],
    ['with an id used twice', inVerdicts(`[${sound}, ${sound}]`), 'used twice'],
    ['with a case that is a text', inVerdicts('[x]'), 'case 1 is not a mapping'],
    ['with a case without id', inVerdicts(`[${sound.replace('id: a, ', '')}]`), 'has no id'],
    ['with a case without note', inVerdicts(`[${sound.replace('note: n, ', '')}]`), 'has no note'],
    [
      'with a misspelt key in a case',
      inVerdicts(`[${sound.replace('{ id', '{ enviroment: {}, id')}]`),
      '`enviroment`',
    ],
    ['with a misspelt expectation', inVerdicts(`[${sound.replace('verdict:', 'veredict:')}]`), '`veredict`'],
    ['without expectation', inVerdicts(`[${sound.replace(/, expected.*/, ' }')}]`), 'expects nothing'],
    ['with an empty expectation', inVerdicts(`[${sound.replace('verdict: allowed', '')}]`), 'which verdict'],
    ['with an unknown verdict', inVerdicts(`[${sound.replace('allowed', 'permitted')}]`), '`permitted`'],
    [
      'with contracts given twice',
      inVerdicts(`[${sound.replace('{ id', '{ contracts: [], id')}]`),
      'exactly one of',
    ],
    [
      'with a rejection without line',
      inReject('[{ id: a, note: n, yaml: x, expected: { rejected: true, error_contains: x } }]'),
      'which line',
    ],
    [
      'with a replacement of nothing',
      inReject('[{ id: a, note: n, replace: [], expected: { rejected: true, line: 1, error_contains: x } }]'),
      'no base',
    ],
    [
      'with a composition that expects neither verdict nor rejection',
      inComposition('[{ id: a, note: n, layers: [], expected: {} }]'),
      'neither a verdict nor a rejection',
    ],
  ])('fails on a case file %s', async (_, files: Readonly<Record<string, string>>, reason) => {
    const failures = (await run(files)).filter(({ status }) => status === 'failed')
    expect(failures.map((failure) => failure.reason).join('\n')).toContain(reason)
  })

  it.each([
    ['verdict', sound.replace('allowed', 'denied'), 'expected denied'],
    ['policy error', sound.replace('allowed', 'allowed, policy_error: true'), 'expected policy error true'],
    ['list of contracts', sound.replace('allowed', 'allowed, contracts: []'), 'expected the contracts []'],
    ['message', sound.replace('allowed', 'allowed, message: fired'), 'expected the message "fired"'],
  ])('fails on a wrong %s', async (_, text, reason) => {
    const [result] = await run(inVerdicts(`[${text}]`))
    expect(result).toMatchObject({ status: 'failed' })
    expect(result?.reason).toContain(reason)
  })

  it.each([
    ['document that loads', 'accept', '{ rejected: true, line: 1, error_contains: x }'],
    ['error at another line', 'reject', '{ rejected: true, line: 99, error_contains: mapping }'],
    [
      'error with another code',
      'reject',
      '{ rejected: true, line: 1, code: unknown-field, error_contains: mapping }',
    ],
    ['error with another text', 'reject', '{ rejected: true, line: 1, error_contains: banana }'],
  ])('fails on a rejection that turns out to be a %s', async (_, kind, expected) => {
    const bundle =
      '{"apiVersion":"edictum/v1","kind":"ContractBundle","metadata":{"name":"a"},"defaults":{"mode":"enforce"},' +
      '"contracts":[{"id":"a","type":"session","limits":{"max_attempts":1},"then":{"effect":"deny","message":"m"}}]}'
    const text = kind === 'accept' ? bundle : '[]'
    const results = await run(inReject(`[{ id: a, note: n, yaml: '${text}', expected: ${expected} }]`))
    expect(results).toMatchObject([{ status: 'failed' }])
  })

  describe('with a guard that can run', () => {
    interface Counters {
      readonly counts: Map<string, number>
    }
    interface Run {
      readonly counts: Map<string, number>
      readonly approve: (() => Promise<{ readonly status: string }>) | undefined
      readonly result: unknown
      readonly options: Readonly<Record<string, unknown>>
      readonly events: unknown[]
    }

    /** A library in which every call ends as the test says. */
    function scriptLibrary(script: (run: Run) => unknown) {
      class MemoryBackend {
        readonly counts = new Map<string, number>()
        async increment(key: string, amount: number): Promise<void> {
          this.counts.set(key, amount)
        }
      }
      class Edictum {
        readonly localSink = { events: [] as unknown[] }
        readonly #options: { backend: Counters; approvalBackend?: { waitForDecision: Run['approve'] } }
        constructor(options: { backend: Counters; approvalBackend?: { waitForDecision: Run['approve'] } }) {
          this.#options = options
        }
        static fromYamlString(_: string, options: { backend: Counters }): Edictum {
          return new Edictum(options)
        }
        evaluate(): unknown {
          return { verdict: 'allow', contracts: [], policyError: false }
        }
        async run(
          _: string,
          args: unknown,
          tool: (args: unknown) => unknown,
          options: Run['options'],
        ): Promise<unknown> {
          return script({
            counts: this.#options.backend.counts,
            approve: this.#options.approvalBackend?.waitForDecision,
            result: tool(args),
            options,
            events: this.localSink.events,
          })
        }
      }
      return { Edictum, MemoryBackend }
    }

    const denied = (reason: string) => Object.assign(new Error(reason), { name: 'EdictumDenied', reason })
    const failedPost = {
      postconditionsPassed: false,
      contractsEvaluated: [{ passed: false, message: 'post' }],
    }
    const session =
      '{ id: limit, type: session, limits: { max_tool_calls: 1 }, then: { effect: deny, message: enough } }'
    const approval =
      "{ id: ask, type: pre, tool: '*', when: { args.x: { exists: true } }, then: { effect: approve, message: ask } }"
    const post =
      "{ id: post, type: post, tool: '*', when: { output.text: { contains: a } }, then: { effect: deny, message: post } }"
    const guarded = (contract: string, rest: string) =>
      inVerdicts(`[{ id: a, note: n, contracts: [${contract}], ${rest} }]`)

    it('lets cases wait as long as the guard cannot run', async () => {
      const { Edictum } = scriptLibrary(() => null)
      const unable = { Edictum: { fromYamlString: () => ({ evaluate: Edictum.prototype.evaluate }) } }
      const files = guarded(session, 'session: { tool_calls: 1 }, expected: { verdict: denied }')
      expect(await run(files, unable)).toEqual([{ id: 'a', status: 'waiting', reason: 'session counters' }])
    })

    it('seeds the counters of the session', async () => {
      const seen: unknown[] = []
      const scripted = scriptLibrary(({ counts }) => {
        seen.push(...counts)
        throw denied('enough')
      })
      const files = guarded(
        session,
        'session: { tool_calls: 1, attempts: 2, per_tool: { bash: 3 } }, expected: { verdict: denied, message: enough }',
      )
      expect(await run(files, scripted)).toEqual([{ id: 'a', status: 'passed', reason: '' }])
      expect(seen).toEqual([
        ['s:conformance:attempts', 2],
        ['s:conformance:execs', 1],
        ['s:conformance:tool:bash', 3],
      ])
    })

    it.each([
      ['approval_decision: approved', 'approved'],
      ['approval_decision: rejected', 'denied'],
      ['timeout_expired: true', 'timeout'],
      ['envelope: {}', 'approved'],
      ['approval_pending: true', undefined],
    ])('plays the person who is asked: %s', async (answer, status) => {
      let decision: string | undefined
      const scripted = scriptLibrary(async ({ approve }) => {
        decision = (await approve?.())?.status
        return null
      })
      const results = await run(guarded(approval, `${answer}, expected: { verdict: allowed }`), scripted)
      expect(results).toMatchObject([{ status: 'passed' }])
      expect(decision).toBe(status)
    })

    it.each<[string, string, (run: Run) => unknown]>([
      ['denied', 'a refusal', () => Promise.reject(denied('no'))],
      ['denied', 'a withheld output', () => '[OUTPUT SUPPRESSED] post'],
      [
        'redacted',
        'a redacted output',
        ({ events }) => {
          events.push(failedPost)
          return { text: '[REDACTED]' }
        },
      ],
      [
        'warned',
        'a failed postcondition',
        ({ events, result }) => {
          events.push(failedPost)
          return result
        },
      ],
      ['allowed', 'a call that simply ends', ({ result }) => result],
    ])('reads %s from %s', async (verdict, _, script) => {
      for (const other of ['allowed', 'denied', 'warned', 'redacted']) {
        const results = await run(
          guarded(post, `result: a, expected: { verdict: ${other} }`),
          scriptLibrary(script),
        )
        expect(results).toMatchObject([{ status: other === verdict ? 'passed' : 'failed' }])
      }
    })

    it('fails on an error that is no refusal', async () => {
      const scripted = scriptLibrary(() => Promise.reject(new TypeError('broken')))
      const results = await run(guarded(post, 'expected: { verdict: denied }'), scripted)
      expect(results).toMatchObject([{ status: 'failed' }])
    })

    it('treats a tool of no declared class as reading when the case gives a result', async () => {
      const seen: unknown[] = []
      const scripted = scriptLibrary(({ options }) => seen.push(options['sideEffect']) && null)
      await run(guarded(post, 'result: a, expected: { verdict: allowed }'), scripted)
      await run(guarded(post, 'expected: { verdict: allowed }'), scripted)
      expect(seen).toEqual(['read', undefined])
    })

    it('looks for the observation in the audit trail', async () => {
      const files = guarded(session, 'expected: { verdict: allowed, audit_action: observed }')
      const silent = scriptLibrary(() => null)
      const speaking = scriptLibrary(({ events }) => events.push({ action: 'call_would_deny' }) && null)
      expect(await run(files, silent)).toMatchObject([{ status: 'failed' }])
      expect(await run(files, speaking)).toMatchObject([{ status: 'passed' }])
    })
  })

  it.each([
    ['every case passes', ['passed', 'passed'], 0, '2 passed, 0 failed'],
    ['cases wait or are known to be bad', ['passed', 'waiting', 'known-bad'], 0, '1 passed, 0 failed'],
    ['one case fails', ['passed', 'failed'], 1, '1 passed, 1 failed'],
    ['no case passes', ['waiting'], 1, '0 passed, 0 failed'],
  ] as const)('ends with the right exit code when %s', (_, statuses, exitCode, closingLine) => {
    const cases = statuses.map((status, index) => ({
      id: `case-${index}`,
      status,
      reason: `because ${status}`,
    }))
    const table = summarizeResults([{ suite: 's', cases }], 'table')
    expect(table.exitCode).toBe(exitCode)
    expect(table.text.split('\n').at(-1)).toBe(closingLine)
    const json = summarizeResults([{ suite: 's', cases }], 'json')
    expect(json.exitCode).toBe(exitCode)
    expect(JSON.parse(json.text)).toMatchObject({ suites: [{ suite: 's', cases }] })
  })
})
