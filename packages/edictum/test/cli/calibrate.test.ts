import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CliFolder } from './cli-kit.js'

const folder = new CliFolder()

/** A session of so many executed refunds, and as many denied attempts. */
function session(name: string, executed: number, denied: number): string {
  const event = (id: number, action: string) =>
    JSON.stringify({
      action,
      tool_name: 'refund',
      tool_args: {},
      session_id: name,
      call_id: `${name}-${id}`,
      session_attempt_count: id + 1,
      tool_success: action === 'call_executed' ? true : null,
    })
  const runs = Array.from({ length: executed }, (_, id) => [
    event(id, 'call_allowed'),
    event(id, 'call_executed'),
  ])
  const denials = Array.from({ length: denied }, (_, id) => event(executed + id, 'call_denied'))
  return [...runs.flat(), ...denials].join('\n')
}

beforeAll(() => {
  folder.write(
    'audit.jsonl',
    [session('a', 1, 0), session('b', 2, 0), session('c', 10, 2), 'nonsense'].join('\n'),
  )
})
afterAll(() => folder.remove())

describe('edictum calibrate', () => {
  it('shows what sessions do, and limits above what is usual', async () => {
    const { code, answer } = await folder.run('calibrate', 'audit.jsonl')
    expect(code).toBe(0)
    expect(answer.split('\n').slice(0, 6)).toEqual([
      '3 sessions',
      'per session  median    99 %    most   limit',
      'attempts          2      12      12      18',
      'executions        2      10      10      15',
      'refund            2      10      10      15',
      'That is little to learn from: observe for longer before you enforce.',
    ])
  })

  it('writes a bundle that loads, and that the log does not exceed', async () => {
    const { code, complaints } = await folder.run('calibrate', 'audit.jsonl', '--output', 'limits.yaml')
    expect(code).toBe(0)
    expect(complaints).toContain('next: edictum replay limits.yaml --audit-log audit.jsonl')
    expect((await folder.run('validate', 'limits.yaml')).answer).toBe('✓ limits.yaml: 1 contract (1 session)')
    const { answer } = await folder.run('replay', 'limits.yaml', '--audit-log', 'audit.jsonl')
    expect(answer).not.toContain('session-limits')
  })

  it('leaves a file alone that is there', async () => {
    const before = folder.read('limits.yaml')
    const { code, complaints } = await folder.run(
      'calibrate',
      'audit.jsonl',
      '--output',
      'limits.yaml',
      '--mode',
      'enforce',
    )
    expect(code).toBe(1)
    expect(complaints).toContain('limits.yaml is there already')
    expect(folder.read('limits.yaml')).toBe(before)
  })

  it('takes another headroom and mode, and answers in JSON', async () => {
    const { answer } = await folder.json('calibrate', 'audit.jsonl', '--headroom', '2', '--mode', 'enforce')
    expect(answer).toMatchObject({
      baseline: { sessions: 3, tool_calls: { median: 2, p99: 10, most: 10 } },
      limits: { max_tool_calls: 20, max_attempts: 24, max_calls_per_tool: { refund: 20 } },
      bundle: expect.stringContaining('mode: enforce'),
    })
  })

  it.each([
    ['no log', [], 2],
    ['two logs', ['audit.jsonl', 'audit.jsonl'], 2],
    ['a headroom below one', ['audit.jsonl', '--headroom', '0.5'], 2],
    ['an unknown mode', ['audit.jsonl', '--mode', 'strict'], 2],
    ['a log without calls', ['limits.yaml'], 1],
    ['a log that is not there', ['nowhere.jsonl'], 1],
  ])('refuses %s', async (_, words, code) => {
    expect((await folder.run('calibrate', ...words)).code).toBe(code)
  })
})
