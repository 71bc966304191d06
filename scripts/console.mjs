// @ts-check
// `npm run console [-- options]`: builds when there is nothing built yet, then starts the console.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { runScript } from './run-command.mjs'
import { root } from './workspace.mjs'

const program = join(root, 'packages/console/bin/edictum-console.js')
if (!existsSync(program)) await runScript('build.mjs', [], { display: 'show' })
await import(pathToFileURL(program).href)
