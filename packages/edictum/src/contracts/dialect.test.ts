import { describe, expect, it } from 'vitest'
import { translateBundle } from './dialect.js'
import { loadBundleString } from './load.js'

const asContracts = `apiVersion: edictum/v1
kind: ContractBundle # deny stays in a comment
metadata: { name: files, description: "what we deny" }
defaults: { mode: enforce }
contracts:
  - id: no-deny
    type: pre
    tool: deny
    when: { args.effect: { equals: deny } }
    then: { effect: deny, message: "effect: deny" }
  - id: ask
    type: pre
    tool: pay
    when: { args.sum: { gt: 10 } }
    then: { effect: 'approve', message: m, timeout: 10, timeout_effect: deny }
  - { id: box, type: sandbox, tool: read, within: [/w], outside: approve, message: m, timeout: 5, timeout_effect: allow }
  - { id: many, type: session, limits: { max_tool_calls: 3 }, then: { effect: deny, message: m } }
`

describe('translateBundle', () => {
  it('writes a bundle in the other vocabulary and back without touching anything else', () => {
    const asRules = translateBundle(asContracts, 'Ruleset')
    expect(asRules).toContain('kind: Ruleset # deny stays in a comment')
    expect(asRules).toContain('then: { action: block, message: "effect: deny" }')
    expect(asRules).toContain("action: 'ask', message: m, timeout: 10, timeout_action: block")
    expect(asRules).toContain('outside: ask')
    expect(loadBundleString(asRules).bundle).toEqual(loadBundleString(asContracts).bundle)
    expect(translateBundle(asRules, 'ContractBundle')).toBe(asContracts)
  })

  it('leaves a text alone that is written so already', () => {
    expect(translateBundle(asContracts, 'ContractBundle')).toBe(asContracts)
  })

  it('follows a consequence that several contracts share by alias', () => {
    const shared = asContracts
      .replace('then: { effect: deny, message: "effect: deny" }', 'then: &stop { effect: deny, message: m }')
      .replace(
        'limits: { max_tool_calls: 3 }, then: { effect: deny, message: m }',
        'limits: { max_tool_calls: 3 }, then: *stop',
      )
    const translated = translateBundle(shared, 'Ruleset')
    expect(translated).toContain('then: *stop')
    expect(loadBundleString(translated).bundle).toEqual(loadBundleString(shared).bundle)
  })

  it('refuses a text whose words are hidden from it rather than change what it means', () => {
    const escaped = asContracts.replace(
      'effect: deny, message: "effect',
      '"eff\\x65ct": deny, message: "effect',
    )
    expect(() => translateBundle(escaped, 'Ruleset')).toThrow('cannot be written as a Ruleset')
  })
})
