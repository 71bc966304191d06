// @ts-check
// Tries the packed packages on other versions of Node: every door with `import` and with `require`, the programs, the demo.

import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDoors, unpackPackage } from './packed-package.mjs'
import { runCommand } from './run-command.mjs'
import { formatCount } from './test-count.mjs'
import { listPackages, root } from './workspace.mjs'

const versionsFolder = join(root, 'node-versions/node_modules')
const versions = existsSync(versionsFolder)
  ? readdirSync(versionsFolder).filter((name) => name.startsWith('node-'))
  : []

const count = { passed: 0, failed: 0 }

/**
 * @param {string} name
 * @param {readonly string[]} faults
 */
function report(name, faults) {
  count[faults.length === 0 ? 'passed' : 'failed'] += 1
  console.log(faults.length === 0 ? `ok      ${name}` : `failed  ${name}\n${faults.join('\n')}`)
}

for (const published of listPackages().filter(({ isPublished }) => isPublished)) {
  const folder = mkdtempSync(join(tmpdir(), 'edictum-versions-'))
  try {
    const unpacked = await unpackPackage(published, folder)
    if ('fault' in unpacked) {
      report(published.name, [unpacked.fault])
      continue
    }
    for (const version of versions) {
      const node = join(versionsFolder, version, 'bin/node')
      report(`${published.name} on ${version}: doors`, await openDoors(published, folder, node))
      for (const [name, file] of Object.entries(published.bin)) {
        const result = await runCommand(node, [join(unpacked.installed, file), '--version'], {
          timeoutMs: 60_000,
        })
        const isRight = result.ok && result.stdout.includes(published.version)
        report(`${published.name} on ${version}: ${name} --version`, isRight ? [] : [result.output])
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
for (const version of versions) {
  const demo = join(root, 'examples/demo/demo.mjs')
  const result = await runCommand(join(versionsFolder, version, 'bin/node'), [demo], { timeoutMs: 60_000 })
  report(`the demo on ${version}`, result.ok ? [] : [result.output])
}

// Elsewhere npm has no such binaries for us to install; there, the version that runs the tests is the one that is tried.
const isExpected = process.platform === 'linux' && process.arch === 'x64'
if (versions.length === 0) {
  console.log('no other version of Node is installed in node-versions/')
  if (isExpected) count.failed += 1
}

console.log(`\n${formatCount(count)}`)
if (count.failed > 0) process.exitCode = 1
