import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CliFolder, demoBundle } from './cli-kit.js'

const folder = new CliFolder()

beforeAll(() => {
  folder.write('old.yaml', demoBundle)
  folder.write('new.yaml', demoBundle.replace('gt: 500', 'gt: 1000').replaceAll('two-refunds', 'few-refunds'))
  folder.write('commented.yaml', `# the same\n${demoBundle}`)
})

afterAll(() => folder.remove())

describe('edictum diff', () => {
  it('ends with 0 when the meaning is the same', async () => {
    expect(await folder.run('diff', 'old.yaml', 'commented.yaml')).toEqual({
      code: 0,
      answer: 'no difference in meaning (6 contracts)',
      complaints: '',
    })
  })

  it('says what changed, and ends with 1', async () => {
    const { code, answer } = await folder.run('diff', 'old.yaml', 'new.yaml')
    expect(code).toBe(1)
    expect(answer.split('\n')).toEqual([
      '+ few-refunds (session)',
      '- two-refunds (session)',
      '~ large-refunds-need-a-lead (pre)',
      '    args.amount gt: 500 → 1000',
      '',
      '1 added, 1 removed, 1 changed, 4 unchanged',
    ])
  })

  it('answers in JSON with the documented keys', async () => {
    const { code, answer } = await folder.json('diff', 'old.yaml', 'new.yaml')
    expect(code).toBe(1)
    expect(answer).toMatchObject({
      added: [{ id: 'few-refunds', type: 'session' }],
      removed: [{ id: 'two-refunds', type: 'session' }],
      changed: ['large-refunds-need-a-lead'],
      unchanged: ['block-dotenv', 'mask-national-ids', 'refunds-need-a-person', 'stay-in-the-workspace'],
      has_changes: true,
      meaning: { bundle: [], contracts: { 'large-refunds-need-a-lead': ['args.amount gt: 500 → 1000'] } },
    })
    const { overrides, shadows } = (answer as { composition: { overrides: object[]; shadows: object[] } })
      .composition
    expect(overrides[0]).toEqual({
      contract_id: 'block-dotenv',
      overridden_by: 'new.yaml',
      original_source: 'old.yaml',
    })
    expect(shadows).toEqual([])
  })

  it('tells of three files only what they make of each other', async () => {
    const { code, answer } = await folder.run('diff', 'old.yaml', 'new.yaml', 'commented.yaml')
    expect(code).toBe(1)
    expect(answer).toContain('two-refunds — overridden by commented.yaml (was in old.yaml)')
  })

  it('needs two files that load', async () => {
    expect((await folder.run('diff', 'old.yaml')).code).toBe(2)
    expect((await folder.run('diff', 'old.yaml', 'nowhere.yaml')).code).toBe(1)
  })
})
