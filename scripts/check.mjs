// @ts-check
// `npm run check`: everything that can be said about the code without running its tests.
// Every step runs, so that one visit shows all there is to repair.

import { join } from 'node:path'
import { runCommand, runScript, runTool } from './run-command.mjs'
import { cacheFolder, listPackages, root } from './workspace.mjs'

const prettierCache = [
  '--cache',
  '--cache-strategy',
  'content',
  '--cache-location',
  join(cacheFolder, 'prettier'),
]

/** @type {ReadonlyArray<readonly [string, () => Promise<import('./run-command.mjs').CommandResult>]>} */
const steps = [
  ['format', () => runTool('prettier', ['--check', '.', '--log-level', 'warn', ...prettierCache])],
  // Before the build, which would write them.
  ['generated', () => runScript('generate.mjs', ['--check'])],
  ['build', () => runScript('build.mjs')],
  ['types', () => runTool('tsc', ['-b', '--pretty', 'false'])],
  ['lint', () => runTool('oxlint', ['--type-aware', '--max-warnings', '0'])],
  ['layers', checkLayers],
  ['dead code', () => runTool('knip', ['--no-progress', '--treat-config-hints-as-errors'])],
  ['package', () => runScript('check-package.mjs')],
  ['sizes', () => runScript('check-sizes.mjs')],
  ['surface', () => runScript('api-report.mjs')],
  ['docs', () => runScript('check-docs.mjs')],
  ['web page', () => runScript('check-web-page.mjs')],
  ['budget', () => runCommand(process.execPath, [join(root, 'bench/budget.mjs')], { display: 'show' })],
  ['reference', () => runScript('generate-reference.mjs', ['--check'])],
]

/** @returns {Promise<import('./run-command.mjs').CommandResult>} */
async function checkLayers() {
  const results = await Promise.all(
    listPackages().map(({ folder }) =>
      runTool('depcruise', ['src', '--config', '.dependency-cruiser.cjs'], { cwd: folder }),
    ),
  )
  const output = results.map((result) => result.output).join('\n')
  return { ok: results.every(({ ok }) => ok), stdout: output, output }
}

const failed = []
for (const [name, run] of steps) {
  const start = performance.now()
  const { ok, output } = await run()
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  console.log(`${name.padEnd(10)} ${ok ? 'ok    ' : 'failed'} ${seconds.padStart(5)} s`)
  if (ok) continue
  failed.push(name)
  console.log(`\n${output.trimEnd()}\n`)
}

console.log(failed.length === 0 ? 'all checks passed' : `failed: ${failed.join(', ')}`)
if (failed.length > 0) process.exitCode = 1
