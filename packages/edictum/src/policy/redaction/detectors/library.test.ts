import { describe, expect, it } from 'vitest'

import { proveLinear } from '../../../contracts/pattern/analyse.js'
import { parsePattern } from '../../../contracts/pattern/parse.js'
import { widthOf } from '../../../contracts/pattern/syntax-tree.js'
import { factorChoices } from '../../../contracts/pattern/word-tree.js'
import { detectors } from './library.js'

const forms = Object.entries(detectors).flatMap(([name, { forms: all }]) =>
  all.map((form, index) => ({ name: `${name} #${index}`, form })),
)

function treeOf(source: string) {
  const parsed = parsePattern(source)
  if (!parsed.ok) throw new Error(`${source}: ${parsed.problem.message}`)
  return factorChoices(parsed.tree)
}

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&')

describe('the detector library', () => {
  it.each(forms)('has a proof that $name takes linear time on any text', ({ form }) => {
    const sources =
      form.kind === 'bounded'
        ? [form.find]
        : form.begins.map((beginning) => {
            const boundary = form.notAfter === undefined ? '' : `(?<![${form.notAfter}])`
            return `${boundary}${escaped(beginning)}(?:${form.lead ?? ''})(?:${form.find})`
          })
    for (const source of sources) {
      const proof = proveLinear(treeOf(source))
      expect({ source, ...proof }).toMatchObject({ safe: true, headLoop: undefined })
    }
  })

  it.each(forms.filter(({ form }) => form.kind === 'bounded'))('knows how long $name can get', ({ form }) => {
    expect(form).toMatchObject({ longest: widthOf(treeOf(form.find)).max })
  })
})
