import { expect, it } from 'vitest'
import { closeSteps } from './time-steps.js'

it('gives the newest stretch of time the width of the others', () => {
  expect(closeSteps([0, 10, 20], [[1, 2, 3]])).toEqual({ times: [0, 10, 20, 30], lines: [[1, 2, 3, 3]] })
})

it('leaves alone what has no width at all', () => {
  expect(closeSteps([], [[]])).toEqual({ times: [], lines: [[]] })
  expect(closeSteps([5], [[7]])).toEqual({ times: [5], lines: [[7]] })
})
