// @ts-check
// Runs the red-team corpus that lies beside the repository against the built library, prints its table and every
// case that failed, and fails when the goals are missed.

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { runCommand } from './run-command.mjs'
import { root } from './workspace.mjs'

/**
 * @typedef {object} CaseResult
 * @property {string} id
 * @property {string} group
 * @property {'core' | 'strict' | 'stretch'} tier
 * @property {'ok' | 'false_allow' | 'false_deny' | 'crash' | 'hang' | 'skip'} kind
 * @property {string} expect
 * @property {string} [note]
 */

const strictShare = 0.95

/**
 * Cases that ask for the opposite of what a ruling says, with what happens under the ruling. Anything else that happens in
 * them is a failure like any other.
 * @type {Readonly<Record<string, { note: string, reason: string }>>}
 */
const contradictions = {
  'g9-021-failing-tools-count': {
    note: 'executed 6, expected 2',
    reason:
      'ruling R3 (also 5.2 and 18.1): only successful executions count, so a tool that always fails uses up no limit of executions',
  },
}

const corpus = join(dirname(root), 'shared', 'conformance', 'redteam')
const library = join(root, 'packages', 'edictum', 'dist', 'index.js')

for (const [path, what] of [
  [join(corpus, 'runner.mjs'), 'The red-team corpus is not beside the repository'],
  [library, 'The library is not built: run `npm run build`'],
]) {
  if (path !== undefined && !existsSync(path)) {
    process.stderr.write(`${what} (looked for ${path}).\n`)
    process.exit(2)
  }
}

const folder = mkdtempSync(join(tmpdir(), 'redteam-'))
try {
  const out = join(folder, 'results.json')
  const run = await runCommand(
    process.execPath,
    [
      join(corpus, 'runner.mjs'),
      '--adapter',
      join(corpus, 'adapters', 'edictum.mjs'),
      '--corpus',
      join(corpus, 'public.jsonl'),
      '--out',
      out,
      ...process.argv.slice(2),
    ],
    { display: 'show', environment: { EDICTUM_LIB: library } },
  )
  if (!run.ok || !existsSync(out)) {
    process.stderr.write('The runner did not finish.\n')
    process.exitCode = 1
  } else {
    /** @type {{ results: CaseResult[] }} */
    const { results } = JSON.parse(readFileSync(out, 'utf8'))
    process.exitCode = report(results) ? 0 : 1
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/**
 * @param {readonly CaseResult[]} results
 * @returns {boolean} whether the goals are met
 */
function report(results) {
  const contradicted = results.filter(
    ({ id, note }) => note !== undefined && contradictions[id]?.note === note,
  )
  for (const { tier, id, expect } of contradicted) {
    process.stdout.write(
      `\nnot counted: ${tier} ${id} expects ${expect} against ${contradictions[id]?.reason}\n`,
    )
  }
  const failed = results.filter(
    (result) => result.kind !== 'ok' && result.kind !== 'skip' && !contradicted.includes(result),
  )
  if (failed.length > 0) process.stdout.write('\nfailed cases\n')
  for (const { tier, id, kind, expect, note } of failed) {
    process.stdout.write(
      `${tier}\t${id}\t${kind}\texpected ${expect}${note === undefined ? '' : `: ${note}`}\n`,
    )
  }
  const core = failed.filter(({ tier }) => tier === 'core').length
  const strict = results.filter(({ tier, kind }) => tier === 'strict' && kind !== 'skip')
  const stopped = strict.filter(({ kind }) => kind === 'ok').length
  const share = strict.length === 0 ? 1 : stopped / strict.length
  process.stdout.write(
    `\ncore: ${core} failed (goal 0), ${contradicted.length} not counted; strict: ${stopped} of ${strict.length} as expected, ` +
      `${(share * 100).toFixed(1)} % (goal ${strictShare * 100} %)\n`,
  )
  return core === 0 && share >= strictShare
}
