// @ts-check
// What the console's web page costs to load: fails when the JavaScript is more than phones should be asked to fetch.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { root } from './workspace.mjs'

const mostBytes = 250_000

const folder = join(root, 'packages/console/dist/ui/assets')
const sizes = readdirSync(folder)
  .filter((name) => name.endsWith('.js'))
  .map((name) => ({ name, bytes: gzipSync(readFileSync(join(folder, name))).length }))
const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0)

for (const { name, bytes } of sizes) console.log(`${String(bytes).padStart(8)} ${name}`)
console.log(`${String(total).padStart(8)} bytes of JavaScript, gzipped; ${mostBytes} are allowed`)
if (total > mostBytes) process.exitCode = 1
