import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Edictum, EdictumDenied, FileAuditSink, MemoryApprovalBackend } from '../../src/index.js'
import { bundleOf, CliFolder, demoBundle } from './cli-kit.js'

const folder = new CliFolder()
const log = `${folder.path}/audit.jsonl`

/** A log as the guard really writes it. */
async function work(yaml: string, file: string): Promise<void> {
  const approvals: MemoryApprovalBackend = new MemoryApprovalBackend({
    onRequest: ({ approvalId }) => approvals.approve(approvalId),
  })
  const guard = Edictum.fromYamlString(yaml, {
    auditSink: new FileAuditSink(file),
    approvalBackend: approvals,
  })
  const calls = [
    ['read_file', { path: 'README.md' }],
    ['read_file', { path: 'config/.env' }],
    ['refund', { amount: 80, customer: 1 }],
    ['refund', { amount: 20, customer: 1 }],
    ['refund', { amount: 20, customer: 1 }],
    ['login', { password: 'hunter' + '2' }],
  ] as const
  for (const [tool, args] of calls)
    await guard
      .run(tool, args, () => 'done')
      .catch((error: unknown) => {
        if (!(error instanceof EdictumDenied)) throw error
      })
  await guard.close()
}

beforeAll(async () => {
  folder.write('contracts.yaml', demoBundle)
  folder.write(
    'stricter.yaml',
    demoBundle.replace("contains: '.env'", "contains: '.md'").replace('refund: 2', 'refund: 1'),
  )
  await work(demoBundle, log)
})

afterAll(() => folder.remove())

async function replayLines(bundle: string, ...events: readonly object[]) {
  folder.piped = events.map((event) => JSON.stringify(event)).join('\n')
  folder.write('one.yaml', bundle)
  const { code } = await folder.run('replay', 'one.yaml', '--audit-log', '-', '--output', 'out.jsonl')
  const written = folder.read('out.jsonl').trimEnd()
  const lines = written === '' ? [] : written.split('\n').map((line) => JSON.parse(line) as object)
  return { code, lines }
}

const noReads = `
  - id: no-reads
    type: pre
    tool: read_file
    when: { tool.name: { exists: true } }
    then: { effect: deny, message: No reading. }
`

describe('edictum replay', () => {
  it('finds no change under the contracts the log was made with, approvals and limits included', async () => {
    const { code, answer } = await folder.run('replay', 'contracts.yaml', '--audit-log', 'audit.jsonl')
    expect(answer).toContain('0 changed')
    expect(code).toBe(0)
    expect(answer).toContain('In 2 events arguments were masked or cut')
    expect(answer).toContain('Skipped lines: 1 (no decision in it).')
  })

  it('groups what would be decided differently, with examples', async () => {
    const { code, answer } = await folder.run('replay', 'stricter.yaml', '--audit-log', 'audit.jsonl')
    expect(code).toBe(1)
    expect(answer).toContain(
      'read_file: allowed → denied, 1 call (by block-dotenv)\n    {"path":"README.md"}',
    )
    expect(answer).toContain('read_file: denied → allowed, 1 call (no longer by block-dotenv)')
    expect(answer).toContain('refund: allowed → denied, 1 call (by two-refunds)')
    for (const line of answer.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
  })

  it('finds no change either where contracts only observe', async () => {
    const observed = demoBundle.replace('mode: enforce', 'mode: observe')
    folder.write('observed.yaml', observed)
    await work(observed, `${folder.path}/observed.jsonl`)
    const { code } = await folder.run('replay', 'observed.yaml', '--audit-log', 'observed.jsonl')
    expect(code).toBe(0)
  })

  it('shows what enforcing would deny that was only observed, without counting it as a change', async () => {
    const { code, answer } = await folder.run('replay', 'contracts.yaml', '--audit-log', 'observed.jsonl')
    expect(code).toBe(0)
    expect(answer).toContain('Not counted as changes:')
    expect(answer).toContain('read_file: observed → denied, 1 call (by block-dotenv)')
  })

  it('writes one object for every event', async () => {
    const { code, lines } = await replayLines(
      bundleOf(noReads),
      { tool_name: 'read_file', tool_args: { path: 'a' }, environment: 'staging', action: 'call_executed' },
      { tool_name: 'write_file', tool_args: {}, action: 'call_denied' },
    )
    expect(code).toBe(1)
    expect(lines).toEqual([
      {
        tool_name: 'read_file',
        tool_args: { path: 'a' },
        environment: 'staging',
        original_action: 'call_executed',
        new_verdict: 'denied',
        changed: true,
        denied_by: 'no-reads',
        message: 'No reading.',
      },
      {
        tool_name: 'write_file',
        tool_args: {},
        environment: 'production',
        original_action: 'call_denied',
        new_verdict: 'allowed',
        changed: true,
      },
    ])
  })

  it.each([
    ['call_allowed', true],
    ['call_executed', true],
    ['call_failed', true],
    ['call_approval_granted', true],
    ['call_denied', false],
    ['call_blocked', false],
    ['call_would_deny', false],
  ])('compares %s with a denial', async (action, changed) => {
    const { lines } = await replayLines(bundleOf(noReads), { tool_name: 'read_file', tool_args: {}, action })
    expect(lines).toMatchObject([{ original_action: action, new_verdict: 'denied', changed }])
  })

  it.each([
    ['an event that only asks', { tool_name: 'read_file', action: 'call_approval_requested' }],
    ['a name no tool can have', { tool_name: 'a/b', action: 'call_allowed' }],
    ['a denial by a hook', { tool_name: 'x', action: 'call_denied', decision_source: 'hook' }],
    ['a candidate', { tool_name: 'x', action: 'call_would_deny', decision_name: 'c:candidate' }],
  ])('skips %s', async (_, event) => {
    expect(await replayLines(bundleOf(noReads), event)).toEqual({ code: 0, lines: [] })
  })

  it('warns about lines that are no events, and counts them', async () => {
    folder.piped = 'nonsense\n[]\n\n{"tool_name":"x","action":"call_allowed"}\n'
    const { code, complaints, answer } = await folder.run('replay', 'contracts.yaml', '--audit-log', '-')
    expect(code).toBe(0)
    expect(complaints).toBe('warning: -:1: not JSON, skipped\nwarning: -:2: not a JSON object, skipped')
    expect(answer).toContain('2 (not an audit event)')
  })

  it('answers in JSON', async () => {
    const { answer } = await folder.json('replay', 'stricter.yaml', '--audit-log', 'audit.jsonl')
    expect(answer).toMatchObject({ replayed: 10, masked_args: 2, not_replayable: 0 })
    expect((answer as { groups: object[] }).groups[0]).toMatchObject({
      tool: 'read_file',
      before: 'allow',
      after: 'deny',
      contract: 'block-dotenv',
      changed: true,
      count: 1,
      examples: [{ tool_args: { path: 'README.md' } }],
    })
  })

  it('needs a log that is there, and contracts that load', async () => {
    expect((await folder.run('replay', 'contracts.yaml')).code).toBe(2)
    expect((await folder.run('replay', '--audit-log', 'audit.jsonl')).code).toBe(2)
    expect((await folder.run('replay', 'contracts.yaml', '--audit-log', 'nowhere')).code).toBe(1)
    expect((await folder.run('replay', 'contracts.yaml', '--audit-log', '.')).code).toBe(1)
    expect((await folder.run('replay', 'audit.jsonl', '--audit-log', 'audit.jsonl')).code).toBe(1)
  })
})
