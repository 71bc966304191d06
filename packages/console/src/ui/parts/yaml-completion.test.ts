import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { completeYaml, type Schema } from './yaml-completion.js'

const schema = JSON.parse(
  readFileSync(fileURLToPath(import.meta.resolve('edictum/schema.json')), 'utf8'),
) as Schema

/** What is offered at the bar. */
function offered(marked: string): readonly string[] {
  const position = marked.indexOf('|')
  return completeYaml(schema, marked.replace('|', ''), position)?.words ?? []
}

const head = 'apiVersion: edictum/v1\nkind: ContractBundle\n'

describe('completeYaml', () => {
  it('offers the keys of a bundle that are not there yet', () => {
    expect(offered(`${head}|`)).toEqual(expect.arrayContaining(['metadata: ', 'defaults: ', 'contracts: ']))
    expect(offered(`${head}|`)).not.toContain('rules: ')
    expect(offered(`${head}con|`)).toEqual(['contracts: '])
    expect(offered('kind: |')).toEqual(['ContractBundle', 'Ruleset'])
    expect(offered(`${head}defaults:\n  mode: |`)).toEqual(['enforce', 'observe'])
  })

  it('offers the keys of the type of contract that is written', () => {
    const session = `${head}contracts:\n  - id: x\n    type: session\n    |`
    expect(offered(session)).toContain('limits: ')
    expect(offered(session)).not.toContain('when: ')
    expect(offered(`${head}contracts:\n  - type: |`)).toEqual(['pre', 'post', 'session', 'sandbox'])
    expect(offered(`${head}contracts:\n  - id: x\n    type: session\n    limits:\n      max_t|`)).toEqual([
      'max_tool_calls: ',
    ])
  })

  it('knows the effects of each type, and does not mix up neighbours', () => {
    const two = (type: string) =>
      `${head}contracts:\n  - id: a\n    type: session\n  - id: b\n    type: ${type}\n    then:\n      effect: |`
    expect(offered(two('pre'))).toContain('approve')
    expect(offered(two('session'))).toEqual(['deny'])
  })

  it('offers selectors and operators, however deep', () => {
    const when = `${head}contracts:\n- id: a\n  type: pre\n  when:\n    all:\n      - not:\n          args.path:\n            st|`
    expect(offered(when)).toEqual(['starts_with: '])
    expect(offered(`${head}contracts:\n- id: a\n  type: pre\n  when:\n    a|`)).toEqual(
      expect.arrayContaining(['all: ', 'any: ']),
    )
  })

  it('offers nothing inside braces, quotes and comments', () => {
    expect(offered(`${head}defaults: { mo|`)).toEqual([])
    expect(offered(`${head}metadata:\n  name: "na|`)).toEqual([])
    expect(offered(`# con|`)).toEqual([])
  })

  it('stands any text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', 'kind', ':', '-', ' ', '\n', '#', '{', '"') }),
        fc.nat(),
        (text, seed) => {
          const position = seed % (text.length + 1)
          const completion = completeYaml(schema, text, position)
          if (completion !== undefined) expect(completion.from).toBeLessThanOrEqual(position)
        },
      ),
    )
  })
})
