// Sentences of the seed 000_92892fc454936a95.txt (custom tool success detection, web page), each as a test.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'

import { defaultSuccessCheck, Edictum, EdictumToolError, type SuccessCheck } from '../../src/index.js'
import { yamlOf } from '../guard/bundles.js'
import { countersOf, endOf } from './calls.js'

describe('000_92892fc454936a95.txt', () => {
  it('"The default heuristic … only catches two patterns: strings starting with "Error:" or "fatal:", and dicts with {"is_error": true}."', async () => {
    const guard = new Edictum()
    for (const failing of ['Error: no', 'fatal: no', { is_error: true }])
      expect(await endOf(guard.run('T', {}, () => failing)), `${JSON.stringify(failing)}`).toBe(
        'EdictumToolError',
      )
  })

  it('"Everything else is classified as success."', async () => {
    const guard = new Edictum()
    const fine = [
      '',
      'error: x',
      'FATAL: x',
      ' Error: x',
      0,
      false,
      { status: 500 },
      { ok: false },
      ['Error:'],
    ]
    for (const result of fine)
      expect(await endOf(guard.run('T', {}, () => result)), `${JSON.stringify(result)}`).toBe('returned')
  })

  it('"… success_check=lambda tool_name, result: not (isinstance(result, dict) and result.get("status", 200) >= 400)"', async () => {
    const guard = Edictum.fromYamlString(yamlOf([]), {
      successCheck: (_, result) => !(isMapping(result) && Number(result['status'] ?? 200) >= 400),
    })
    expect(await endOf(guard.run('http', {}, () => ({ status: 500 })))).toBe('EdictumToolError')
    expect(await endOf(guard.run('http', {}, () => ({ status: 200 })))).toBe('returned')
    expect(await endOf(guard.run('http', {}, () => ({})))).toBe('returned')
  })

  it('"tool_name: the name of the tool that was called … result: the value returned by the tool"', async () => {
    const asked: unknown[] = []
    const value = { some: 'value' }
    const guard = new Edictum({ successCheck: (...given) => asked.push(given) > 0 })
    await guard.run('the_tool', { x: 1 }, () => value)
    expect(asked).toEqual([['the_tool', value]])
  })

  it('"Returns True if the tool call succeeded, False if it failed"', async () => {
    expect(await endOf(new Edictum({ successCheck: () => true }).run('T', {}, () => 'Error: x'))).toBe(
      'returned',
    )
    expect(await endOf(new Edictum({ successCheck: () => false }).run('T', {}, () => 'fine'))).toBe(
      'EdictumToolError',
    )
  })

  it('"When not provided, Edictum.run() uses the same default heuristic as the adapters"', () => {
    // There is one heuristic, exported for whoever needs it; adapters have no other.
    expect(defaultSuccessCheck('T', 'Error: x')).toBe(false)
    expect(defaultSuccessCheck('T', 'fine')).toBe(true)
  })

  describe('"The callable is passed through all factory methods"', () => {
    const never: SuccessCheck = () => false
    const bundle = yamlOf([])
    const folder = mkdtempSync(join(tmpdir(), 'edictum-seed-'))
    const path = join(folder, 'contracts.yaml')
    writeFileSync(path, bundle)
    afterAll(() => rmSync(folder, { recursive: true }))
    const factories: readonly (readonly [string, () => Edictum])[] = [
      ['"guard = Edictum(success_check=my_checker, ...)"', () => new Edictum({ successCheck: never })],
      [
        '"Edictum.from_yaml("contracts.yaml", success_check=my_checker)"',
        () => Edictum.fromYaml(path, { successCheck: never }),
      ],
      [
        '"Edictum.from_yaml_string(yaml_content, success_check=my_checker)"',
        () => Edictum.fromYamlString(bundle, { successCheck: never }),
      ],
      [
        '"Edictum.from_template("file-agent", success_check=my_checker)"',
        () => Edictum.fromTemplate('file-agent', { successCheck: never }),
      ],
      [
        '"Merged guards — uses the first guard\'s success_check"',
        () =>
          Edictum.fromMultiple([
            Edictum.fromYamlString(bundle, { successCheck: never }),
            Edictum.fromYamlString(bundle, { successCheck: () => true }),
          ]),
      ],
    ]
    it.each(factories)('%s', async (_, make) => {
      expect(await endOf(make().run('T', {}, () => 'fine'))).toBe('EdictumToolError')
    })
    it('"uses the first guard\'s" also when the first has none', async () => {
      const merged = Edictum.fromMultiple([
        Edictum.fromYamlString(bundle),
        Edictum.fromYamlString(bundle, { successCheck: never }),
      ])
      expect(await endOf(merged.run('T', {}, () => 'fine'))).toBe('returned')
    })
  })

  describe('"When no success_check is provided, the default heuristic checks"', () => {
    it.each([
      ['"result is None → success"', null, true],
      ['"result is None → success" (undefined is nothing as well)', undefined, true],
      ['"result is a dict with is_error truthy → failure"', { is_error: 1 }, false],
      ['"result is a dict with is_error truthy → failure" (falsy is not)', { is_error: 0 }, true],
      ['"result is a str starting with "Error:" … → failure"', 'Error: x', false],
      ['"result is a str starting with … "fatal:" → failure"', 'fatal: x', false],
      ['"Everything else → success"', 'errorless', true],
    ])('%s', (_, result, isSuccess) => {
      expect(defaultSuccessCheck('T', result)).toBe(isSuccess)
    })
  })

  it('"A custom success_check replaces all of this"', async () => {
    const guard = new Edictum({ successCheck: () => true })
    for (const result of ['Error: x', 'fatal: x', { is_error: true }])
      expect(await endOf(guard.run('T', {}, () => result))).toBe('returned')
  })

  it('"session contracts — how execution counts affect enforcement": what is judged a failure does not count', async () => {
    const guard = new Edictum({ successCheck: (_, result) => result === 'fine' })
    await guard.run('T', {}, () => 'fine')
    await expect(guard.run('T', {}, () => 'else')).rejects.toThrow(EdictumToolError)
    expect(await countersOf(guard, 'T')).toMatchObject({ execs: '1', tool: '1', consecFail: '1' })
  })

  it('"audit events include tool_success for monitoring"', async () => {
    const guard = new Edictum()
    await guard.run('T', {}, () => 'fine')
    await endOf(guard.run('T', {}, () => 'Error: x'))
    const ends = guard.localSink.events.filter(({ toolSuccess }) => toolSuccess !== null)
    expect(ends.map(({ action, toolSuccess }) => [action, toolSuccess])).toEqual([
      ['call_executed', true],
      ['call_failed', false],
    ])
  })
})

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
