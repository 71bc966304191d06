// @ts-check
// generate → compile → finish: the whole build, silent when all is well.

import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, sep } from 'node:path'

import { format } from 'prettier'

import { runScript, runTool } from './run-command.mjs'
import { listPackages, root } from './workspace.mjs'

const packages = listPackages().filter(({ folder }) => existsSync(join(folder, 'tsconfig.json')))

const steps = [
  removeOrphans,
  () => runScript('generate.mjs', [], { display: 'show' }),
  () => runTool('tsc', ['-b', ...packages.map(({ folder }) => folder)], { display: 'show' }),
  bundleWebPage,
  writeSchema,
  makeBinsExecutable,
]

/** What the bundler writes has names of its own, and it empties its folder itself. */
const webPage = 'ui' + sep

/** The compiler never deletes, so what came from a source that is gone would still be packed. */
async function removeOrphans() {
  for (const { folder } of packages) {
    const output = join(folder, 'dist')
    if (!existsSync(output)) continue
    for (const file of readdirSync(output, { recursive: true, encoding: 'utf8' })) {
      const compiled = /^(.*?)(\.d\.ts|\.js)(\.map)?$/.exec(file)
      if (compiled === null || file.startsWith(webPage)) continue
      const source = join(folder, 'src', String(compiled[1]))
      if (!existsSync(`${source}.ts`) && !existsSync(`${source}.tsx`)) rmSync(join(output, file))
    }
  }
  return { ok: true }
}

/** Pages for browsers are bundled, unlike everything that Node runs. */
function bundleWebPage() {
  return runTool('vite', ['build'], { cwd: join(root, 'packages/console'), display: 'show' })
}

/** The editors' schema is built by the same tables the checker reads, so it is written from the compiled package. */
async function writeSchema() {
  const { buildBundleSchema } = await import('../packages/edictum/dist/contracts/schema.js')
  const file = join(root, 'packages/edictum/schema.json')
  const content = await format(JSON.stringify(buildBundleSchema()), { parser: 'json', printWidth: 110 })
  if (!existsSync(file) || readFileSync(file, 'utf8') !== content) writeFileSync(file, content)
  return { ok: true }
}

/** The compiler writes plain files; a bin has to be executable to run from a checkout. */
async function makeBinsExecutable() {
  for (const { folder, bin } of packages) {
    for (const file of Object.values(bin)) chmodSync(join(folder, file), 0o755)
  }
  return { ok: true }
}

for (const step of steps) {
  const { ok } = await step()
  if (!ok) process.exit(1)
}
