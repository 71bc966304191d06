import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, it, onTestFinished } from 'vitest'

import { EdictumConfigError } from './config-error.js'
import type { Diagnostic } from './diagnostic.js'
import { loadBundle, loadBundleString, maxBundleBytesDefault } from './load.js'

const header = [
  'apiVersion: edictum/v1',
  'kind: ContractBundle',
  'metadata: { name: test }',
  'defaults: { mode: enforce }',
]

function bundleWith(...contractLines: readonly string[]): string {
  return [...header, 'contracts:', ...contractLines, ''].join('\n')
}

const denyDotenv = [
  '  - id: block-dotenv',
  '    type: pre',
  '    tool: read_file',
  '    when:',
  '      args.path: { contains: ".env" }',
  '    then:',
  '      effect: deny',
  '      message: "Read of sensitive file denied: {args.path}"',
]

function problemsOf(content: string | Uint8Array): readonly Diagnostic[] {
  try {
    loadBundleString(content)
  } catch (error) {
    expect(error).toBeInstanceOf(EdictumConfigError)
    return (error as EdictumConfigError).diagnostics
  }
  return []
}

function codesOf(content: string): readonly string[] {
  return problemsOf(content).map(({ code }) => code)
}

describe('loadBundleString', () => {
  it('returns the checked bundle with defaults filled in', () => {
    const { bundle } = loadBundleString(bundleWith(...denyDotenv))
    expect(bundle.metadata.name).toBe('test')
    expect(bundle.contracts).toEqual([
      {
        id: 'block-dotenv',
        enabled: true,
        type: 'pre',
        tool: 'read_file',
        when: { kind: 'leaf', selector: 'args.path', operator: 'contains', operand: '.env' },
        then: {
          effect: 'deny',
          message: 'Read of sensitive file denied: {args.path}',
          tags: [],
          metadata: {},
          timeoutSeconds: 300,
          timeoutEffect: 'deny',
        },
      },
    ])
  })

  it('freezes the bundle all the way down', () => {
    const { bundle } = loadBundleString(bundleWith(...denyDotenv))
    const [contract] = bundle.contracts
    expect(Object.isFrozen(bundle)).toBe(true)
    expect(contract?.type === 'pre' && Object.isFrozen(contract.then.tags)).toBe(true)
  })

  it('hashes the raw bytes as policy version, whatever form they come in', () => {
    const text = bundleWith(...denyDotenv) + '# ümlaut\n'
    const expected = createHash('sha256').update(text, 'utf8').digest('hex')
    expect(loadBundleString(text).policyVersion).toBe(expected)
    expect(loadBundleString(new TextEncoder().encode(text)).policyVersion).toBe(expected)
  })

  it('accepts the newer vocabulary and translates it', () => {
    const { bundle } = loadBundleString(
      [
        'apiVersion: edictum/v1',
        'kind: Ruleset',
        'metadata: { name: test }',
        'defaults: { mode: enforce }',
        'rules:',
        '  - { id: a, type: pre, tool: T, when: { args.x: { exists: true } }, then: { action: block, message: m } }',
        '  - { id: b, type: pre, tool: T, when: { args.x: { exists: true } }, then: { action: ask, message: m, timeout_action: allow } }',
        '  - { id: c, type: sandbox, tool: T, within: [/w], outside: ask, message: m }',
      ].join('\n'),
    )
    expect(bundle.kind).toBe('ContractBundle')
    expect(
      bundle.contracts.map((contract) =>
        contract.type === 'sandbox' ? contract.outside : contract.then.effect,
      ),
    ).toEqual(['deny', 'approve', 'approve'])
    expect(bundle.contracts[1]).toMatchObject({ then: { timeoutEffect: 'allow' } })
  })

  it('speaks the words the author wrote', () => {
    const [problem] = problemsOf(
      [
        'apiVersion: edictum/v1',
        'kind: Ruleset',
        'metadata: { name: test }',
        'defaults: { mode: enforce }',
        'rules:',
        '  - { id: a, type: pre, tool: T, when: { args.x: { exists: true } }, then: { action: deny, message: m } }',
      ].join('\n'),
    )
    expect(problem).toMatchObject({
      code: 'invalid-effect',
      message: '`action` cannot be `deny` in `then` of rule `a`',
      expected: 'block or ask',
      hint: 'in a Ruleset this is called `block`',
    })
  })

  it('reports every problem of a document at once, in the order of the text', () => {
    const problems = problemsOf(
      bundleWith(
        '  - id: Upper',
        '    type: pre',
        '    tool: T',
        '    when: { args.x: { containz: a } }',
        '    then: { effect: warn, message: m, tag: [a] }',
        '  - id: box',
        '    type: sandbox',
        '    tool: Bash',
        '    not_witin: [/a]',
        '    message: m',
      ),
    )
    expect(problems.map(({ code, line, column, text }) => ({ code, line, column, text }))).toEqual([
      { code: 'invalid-value', line: 6, column: 9, text: 'Upper' },
      { code: 'unknown-operator', line: 9, column: 23, text: 'containz' },
      { code: 'invalid-effect', line: 10, column: 21, text: 'warn' },
      { code: 'unknown-field', line: 10, column: 39, text: 'tag' },
      expect.objectContaining({ code: 'missing-field', line: 11 }),
      { code: 'unknown-field', line: 14, column: 5, text: 'not_witin' },
    ])
    expect(problems.find(({ text }) => text === 'not_witin')?.hint).toBe('did you mean `not_within`?')
  })

  it('shows the offending text under a caret', () => {
    const [problem] = problemsOf(
      bundleWith(...denyDotenv.map((line) => line.replace('effect: deny', 'effect: dney'))),
    )
    expect(problem?.frame).toBe(
      ['     |', '  12 |       effect: dney', '     |               ^^^^'].join('\n'),
    )
    expect(problem?.hint).toBe('did you mean `deny`?')
  })

  it('lets no control character of the bundle reach the terminal', () => {
    try {
      loadBundleString(bundleWith(...denyDotenv, '    "bad\\e[31m\\x07key": 1'))
      expect.unreachable()
    } catch (error) {
      // oxlint-disable-next-line no-control-regex -- control characters are what this looks for
      expect((error as Error).message.replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/)
    }
  })

  it.each([
    [
      'two documents',
      `${bundleWith(...denyDotenv)}---\n${bundleWith(...denyDotenv)}`,
      'yaml-multiple-documents',
    ],
    ['a tab', 'a:\n\tb: 1\n', 'yaml-syntax'],
    ['a tag', bundleWith(...denyDotenv).replace('read_file', '!!python/object read_file'), 'yaml-tag'],
    ['a duplicate key', bundleWith(...denyDotenv, '    tool: other'), 'yaml-duplicate-key'],
    ['an unknown alias', bundleWith(...denyDotenv).replace('read_file', '*nowhere'), 'yaml-syntax'],
    ['a recursive alias', 'a: &a [*a]\n', 'yaml-syntax'],
    ['nothing', '', 'bundle-not-mapping'],
    ['a list', '- 1\n', 'bundle-not-mapping'],
    ['a complex key', bundleWith(...denyDotenv, '    ? [a, b]', '    : 1'), 'yaml-syntax'],
  ])('refuses %s', (_, content, code) => {
    expect(codesOf(content)).toContain(code)
  })

  it('points at the second of two equal keys', () => {
    const problem = problemsOf(bundleWith(...denyDotenv, '    tool: other')).find(
      ({ code }) => code === 'yaml-duplicate-key',
    )
    expect(problem).toMatchObject({ line: 14, column: 5, text: 'tool' })
  })

  it('accepts a modest use of aliases and refuses a bomb in well under two seconds', () => {
    const shared = bundleWith(
      '  - { id: a, type: pre, tool: T, when: &w { args.x: { exists: true } }, then: &t { effect: deny, message: m } }',
      '  - { id: b, type: pre, tool: U, when: *w, then: *t }',
    )
    expect(loadBundleString(shared).bundle.contracts).toHaveLength(2)
    const levels = Array.from({ length: 12 }, (_, level) =>
      level === 0
        ? 'l0: &l0 [x]'
        : `l${level}: &l${level} [${Array.from({ length: 9 }, () => `*l${level - 1}`).join(', ')}]`,
    )
    const started = performance.now()
    expect(codesOf(levels.join('\n'))).toEqual(expect.arrayContaining(['yaml-alias-limit']))
    expect(performance.now() - started).toBeLessThan(2_000)
  })

  it.each([
    ['10,000 flow levels', 'a: ' + '['.repeat(10_000)],
    ['10,000 block levels', Array.from({ length: 1_000 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')],
  ])('refuses %s as too deep', (_, content) => {
    expect(codesOf(content)).toEqual(['yaml-too-deep'])
  })

  it('accepts conditions 50 levels deep and refuses the 51st', () => {
    const nested = (levels: number) =>
      '{ not: '.repeat(levels - 1) + '{ args.x: { equals: 1 } }' + ' }'.repeat(levels - 1)
    const bundle = (levels: number) =>
      bundleWith(
        `  - { id: a, type: pre, tool: T, when: ${nested(levels)}, then: { effect: deny, message: m } }`,
      )
    expect(codesOf(bundle(50))).toEqual([])
    expect(codesOf(bundle(51))).toEqual(['expression-too-deep'])
    const groups = (levels: number) =>
      '{ all: [ '.repeat(levels - 1) + '{ args.x: { equals: 1 } }' + ' ] }'.repeat(levels - 1)
    expect(
      codesOf(
        bundleWith(
          `  - { id: a, type: pre, tool: T, when: ${groups(50)}, then: { effect: deny, message: m } }`,
        ),
      ),
    ).toEqual([])
  })

  it('accepts exactly the largest size and names both sizes one byte above it', () => {
    const text = bundleWith(...denyDotenv)
    const padded = text + '#'.repeat(maxBundleBytesDefault - text.length)
    expect(() => loadBundleString(padded)).not.toThrow()
    expect(problemsOf(`${padded}#`)[0]).toMatchObject({
      code: 'bundle-too-large',
      message: 'bundle is 1048577 bytes; at most 1048576 are allowed',
    })
    expect(() => loadBundleString(`${padded}#`, { maxBundleBytes: 2_000_000 })).not.toThrow()
  })

  it('refuses 10 MB of garbage and text that is not UTF-8 at once', () => {
    const started = performance.now()
    expect(problemsOf(new Uint8Array(10 * 1024 * 1024).fill(0xff))[0]?.code).toBe('bundle-too-large')
    expect(problemsOf(new Uint8Array([0xff, 0xfe, 0x00]))[0]?.code).toBe('bundle-not-utf8')
    expect(performance.now() - started).toBeLessThan(1_000)
  })

  it('keeps a key named __proto__ an ordinary unknown key', () => {
    expect(problemsOf(bundleWith(...denyDotenv, '    __proto__: { enabled: false }'))[0]).toMatchObject({
      code: 'unknown-field',
      text: '__proto__',
    })
  })

  it('reads scalars by the YAML 1.2 core rules', () => {
    const { bundle } = loadBundleString(
      bundleWith(
        '  - id: a',
        '    type: pre',
        '    tool: T',
        '    when: { args.x: { in: [no, yes, 1_000, 0o17, 0x1F, 1e3, 2024-01-01, "1", ~, .5] } }',
        '    then: { effect: deny, message: m }',
      ),
    )
    expect(bundle.contracts[0]).toMatchObject({
      when: { operand: ['no', 'yes', '1_000', 15, 31, 1_000, '2024-01-01', '1', null, 0.5] },
    })
  })
})

describe('loadBundle', () => {
  it('names the file in every problem and follows symbolic links', () => {
    const folder = mkdtempSync(join(tmpdir(), 'edictum-load-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    writeFileSync(join(folder, 'real.yaml'), bundleWith(...denyDotenv, '    wen: 1'))
    symlinkSync(join(folder, 'real.yaml'), join(folder, 'link.yaml'))
    const path = join(folder, 'link.yaml')
    expect(() => loadBundle(path)).toThrow(`${path}:14:5: unknown field \`wen\``)
  })

  it('says so when there is no such file or it is a folder', () => {
    expect(() => loadBundle(join(tmpdir(), 'edictum-nowhere.yaml'))).toThrow(
      'does not exist [bundle-not-found]',
    )
    expect(() => loadBundle(tmpdir())).toThrow('is a folder [bundle-not-found]')
  })

  it('shows two empty keys where their values are', () => {
    expect(() => loadBundleString(': \n:')).toThrow(EdictumConfigError)
  })
})
