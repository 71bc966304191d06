import { describe, expect, it } from 'vitest'

import { compileGlob } from './tool-glob.js'

describe('compileGlob', () => {
  it.each([
    ['mcp_github', 'mcp_*', true],
    ['MCP_x', 'mcp_*', false],
    ['a', '?', true],
    ['ab', '?', false],
    ['a1', 'a[0-9]', true],
    ['ab', 'a[!0-9]', true],
    ['a1', 'a[!0-9]', false],
    ['a[', 'a[', true],
    ['a]', 'a[]]', true],
    ['axb', 'a.b', false],
    ['Read', '{Read,Write}', false],
    ['googleapis.com', '*.googleapis.com', false],
    ['x.y.googleapis.com', '*.googleapis.com', true],
    ['anything/at\nall', '*', true],
    ['Βash', 'Bash', false],
    ['aXbYc', 'a*b*c', true],
    ['a😀b', 'a?b', true],
    ['-', '[a-]', true],
    ['constructor', 'constructor', true],
  ])('%j against %j is %s', (name, pattern, expected) => {
    expect(compileGlob(pattern)(name)).toBe(expected)
  })

  it('stays fast on a pattern of many stars and a name that almost matches', () => {
    const matches = compileGlob(`${'*a'.repeat(200)}b`)
    const started = performance.now()
    expect(matches('a'.repeat(5_000))).toBe(false)
    expect(performance.now() - started).toBeLessThan(200)
  })

  it('refuses names longer than 10,000 characters', () => {
    expect(compileGlob('a*')('a'.repeat(10_001))).toBe(false)
  })
})
