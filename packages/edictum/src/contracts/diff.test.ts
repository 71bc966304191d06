import { describe, expect, it } from 'vitest'
import { diffBundles } from './diff.js'
import { loadBundleString } from './load.js'

function bundle(contracts: string, mode = 'enforce', more = '') {
  return loadBundleString(`
apiVersion: edictum/v1
kind: ContractBundle
metadata: { name: compared }
defaults: { mode: ${mode} }
${more}
contracts:
${contracts}`).bundle
}

const pre = `  - id: a
    type: pre
    tool: read_file
    when: { any: [{ args.path: { contains_any: [.env, .pem] } }, { args.size: { gt: 10 } }] }
    then: { effect: deny, message: No. }
`

/** What changes when a text in the contract is replaced. */
function changes(contract: string, from: string | RegExp, to: string) {
  const { changed } = diffBundles(bundle(contract), bundle(contract.replace(from, to)))
  return changed.flatMap((one) => one.changes)
}

describe('diffBundles', () => {
  it('finds nothing in another layout, order of keys or vocabulary', () => {
    const ruleset = loadBundleString(`
kind: Ruleset
apiVersion: edictum/v1
metadata: { name: compared }
defaults: { mode: enforce }
rules:
  - then: { message: No., action: block }
    tool: read_file
    type: pre
    id: a
    when: { any: [{ args.path: { contains_any: [.env, .pem] } }, { args.size: { gt: 10 } }] }
`).bundle
    expect(diffBundles(bundle(pre), ruleset)).toEqual({
      added: [],
      removed: [],
      changed: [],
      unchanged: [{ id: 'a', type: 'pre' }],
      bundleChanges: [],
      hasChanges: false,
    })
  })

  it('lists what came and went, sorted', () => {
    const [b, c] = ['b', 'c'].map((id) => pre.replace('id: a', `id: ${id}`))
    const diff = diffBundles(bundle(`${pre}${b}`), bundle(`${c}${pre}`))
    expect(diff.added).toEqual([{ id: 'c', type: 'pre' }])
    expect(diff.removed).toEqual([{ id: 'b', type: 'pre' }])
    expect(diff.hasChanges).toBe(true)
  })

  it.each([
    ['.pem', '.key', ['args.path contains_any: + ".key", - ".pem"']],
    ['gt: 10', 'gt: 20', ['args.size gt: 10 → 20']],
    ['gt: 10', 'lt: 10', ['condition without: args.size gt 10', 'condition with: args.size lt 10']],
    ['any:', 'all:', ['condition is put together as all, not any']],
    ['effect: deny', 'effect: approve', ['effect: deny → approve (looser)']],
    ['tool: read_file', "tool: '*'", ['tool: "read_file" → "*"']],
    ['type: pre', 'type: pre\n    mode: observe', ['mode: enforce → observe (looser: it only observes now)']],
    ['type: pre', 'type: pre\n    enabled: false', ['switched off (looser)']],
    ['type: pre', 'type: pre\n    mode: enforce', ['written differently, with the same effect']],
    ['No.', 'Never.', ['message: "No." → "Never."']],
    [/type: pre/, 'type: post', ['type: pre → post; it is another contract now']],
  ])('says what it means to write %s as %s', (from, to, expected) => {
    expect(changes(pre, from, to)).toEqual(expected)
  })

  it('says which way limits and sandboxes move', () => {
    const session = `  - id: s
    type: session
    limits: { max_tool_calls: 10, max_calls_per_tool: { refund: 2 } }
    then: { effect: deny, message: Enough. }
`
    expect(changes(session, '10,', '20,')).toEqual(['max_tool_calls: 10 → 20 (looser)'])
    expect(changes(session, 'refund: 2', 'refund: 1, pay: 1')).toEqual([
      'max_calls_per_tool.pay: none → 1 (stricter)',
      'max_calls_per_tool.refund: 2 → 1 (stricter)',
    ])
    const sandbox = `  - { id: x, type: sandbox, tool: shell, within: [/a], allows: { commands: [ls] }, message: No. }
`
    expect(changes(sandbox, '[/a]', '[/a, /b]')).toEqual(['within: + "/b"'])
    expect(changes(sandbox, 'message', 'outside: approve, message')).toEqual([
      'outside: deny → approve (looser)',
    ])
  })

  it('does not overlook what concerns the bundle as a whole', () => {
    const before = bundle(pre)
    expect(diffBundles(before, bundle(pre, 'observe'))).toMatchObject({
      changed: [],
      bundleChanges: [
        'defaults.mode: enforce → observe (looser: it only observes now), for every contract without a mode of its own: 1',
      ],
      hasChanges: true,
    })
    const tools = 'tools: { refund: { side_effect: irreversible } }'
    expect(diffBundles(before, bundle(pre, 'enforce', tools)).bundleChanges).toEqual([
      'tools.refund: none → "irreversible"',
    ])
  })
})
