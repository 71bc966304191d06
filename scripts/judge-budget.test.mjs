// @ts-check
import { describe, expect, it } from 'vitest'
import { judgeBudget } from '../bench/judge-budget.mjs'

describe('a budget of ratios', () => {
  it('is kept by what costs as much, or up to a tenth more', () => {
    const { lines, isOver } = judgeBudget({ run: 1, load: 1.1 }, { run: 1, load: 1 })
    expect(isOver).toBe(false)
    expect(lines).toEqual([expect.stringMatching(/^ok +run/), expect.stringMatching(/^ok +load/)])
  })

  it('warns above a tenth, and fails above a quarter', () => {
    expect(judgeBudget({ run: 1.2 }, { run: 1 })).toEqual({
      isOver: false,
      lines: [expect.stringMatching(/^warning +run/)],
    })
    expect(judgeBudget({ run: 1.26 }, { run: 1 })).toEqual({
      isOver: true,
      lines: [expect.stringMatching(/^over budget +run/)],
    })
  })

  it('is needed for everything that is measured, and everything in it is measured', () => {
    expect(judgeBudget({ run: 1 }, {}).isOver).toBe(true)
    expect(judgeBudget({}, { run: 1 }).isOver).toBe(true)
  })

  it('is not kept by what could not be measured', () => {
    expect(judgeBudget({ run: Number.NaN }, { run: 1 }).isOver).toBe(true)
  })
})
