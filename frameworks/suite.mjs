// @ts-check
// What the tests of all frameworks share: the common suite, together with what the table of frameworks says about each of
// them, and the guards of the tests beside it.
import { describe, it } from 'vitest'
import { Edictum } from '../packages/edictum/dist/index.js'
import { describeAdapter } from '../packages/edictum/dist/testing/index.js'

/**
 * The common behaviours of one framework, as a row of the table.
 * @param {string} name
 * @param {object} kit of describe-adapter.ts, and beside it
 * @param {string} kit.package the folder of it in node_modules, whose version is the one tested
 * @param {string} kit.adapter the folder of its adapter
 * @param {string} kit.approvals how a person is asked: in the call, or by a pause of the framework
 * @param {readonly string[]} [kit.notes] what else the table says about it
 * @param {Partial<Record<string, string>>} [kit.limits]
 */
export function describeFramework(name, { package: tested, adapter, approvals, notes = [], ...kit }) {
  const { limits = {} } = kit
  const row = { name, package: tested, adapter, approvals, notes, limits }
  describeAdapter(name, {
    ...kit,
    describe,
    it: (title, body) =>
      // oxlint-disable-next-line vitest/expect-expect, vitest/valid-title -- titles and assertions are those of the suite
      it(title, async ({ task }) => {
        Object.assign(task.meta, { framework: row })
        await body()
      }),
  })
}

/** Approvals are asked for and waited for while the framework waits for the tool; every framework can do that. */
export const inTheCall = { approvals: 'in the call' }

/** The pause of these SDKs is not used for approvals. */
export const refusalsStayInside = {
  ...inTheCall,
  notes: [
    'Approvals do not use the pause of the SDK: a refusal given there never reaches the tool, nor the record.',
  ],
}

/**
 * A guard with the given contracts, and tools that only read.
 * @param {readonly string[]} contracts
 * @param {{ reads?: readonly string[] } & import('../packages/edictum/dist/index.js').EdictumOptions} [options]
 */
export function guardWith(contracts, { reads = [], ...options } = {}) {
  return Edictum.fromYamlString(
    `
apiVersion: edictum/v1
kind: ContractBundle
metadata: { name: frameworks }
defaults: { mode: enforce }
tools: { ${reads.map((tool) => `'${tool}': { side_effect: read }`).join(', ')} }
contracts:
${contracts.join('')}`,
    options,
  )
}

/** @param {string} [tool] */
export const noPasswords = (tool = '*') => `
  - id: no-passwords
    type: post
    tool: '${tool}'
    when: { output.text: { matches: 'password=\\w+' } }
    then: { effect: redact, message: A password was found. }
`

/** @param {string} [tool] */
export const noDotenv = (tool = 'read_file') => `
  - id: no-dotenv
    type: pre
    tool: '${tool}'
    when: { args.path: { contains: .env } }
    then: { effect: deny, message: Not that file. }
`

/** @param {string} selector @param {string} [tool] */
export const noDrops = (selector, tool = 'search') => `
  - id: no-drops
    type: pre
    tool: '${tool}'
    when: { ${selector}: { contains: drop } }
    then: { effect: deny, message: Nothing is dropped here. }
`

/** @param {string} tool */
export const askBefore = (tool) => `
  - id: ask-before
    type: pre
    tool: '${tool}'
    when: { args.service: { exists: true } }
    then: { effect: approve, message: 'Deploy {args.service}?', timeout: 60 }
`

/** @param {Edictum} guard */
export const actionsOf = (guard) => guard.localSink.events.map(({ action }) => action)
