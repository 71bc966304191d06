// @ts-check
// Installs what frameworks/ is tested against, unless it is there already. Apart from the workspace, so that `npm ci`
// stays quick for everybody who does not work on adapters.

import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from './run-command.mjs'
import { root } from './workspace.mjs'

for (const name of ['frameworks', 'frameworks/heavy']) {
  const folder = join(root, name)
  const stamp = join(folder, 'node_modules', '.installed')
  const wanted = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) continue
  console.log(
    `installing the frameworks the adapters are tested against (npm packages, ${name}/node_modules) …`,
  )
  const { ok, output } = await runCommand('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
  })
  if (ok) writeFileSync(stamp, wanted)
  else {
    console.log(output)
    process.exitCode = 1
  }
}
