// @ts-check
// Installs what tests need beside the workspace, unless it is there already: the frameworks the adapters are tested against,
// and other versions of Node. Apart from the workspace, so that `npm ci` stays quick for everybody who does not need them.

import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from './run-command.mjs'
import { root } from './workspace.mjs'

const folders = {
  frameworks: 'the frameworks the adapters are tested against',
  'frameworks/heavy': 'the large frameworks among them',
  'node-versions': 'the versions of Node the packages are tried on',
}

for (const [name, what] of Object.entries(folders)) {
  const folder = join(root, name)
  const stamp = join(folder, 'node_modules', '.installed')
  const wanted = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) continue
  console.log(`installing ${what} (npm packages, ${name}/node_modules) …`)
  const { ok, output } = await runCommand('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
  })
  if (ok) writeFileSync(stamp, wanted)
  else {
    console.log(output)
    process.exitCode = 1
  }
}
