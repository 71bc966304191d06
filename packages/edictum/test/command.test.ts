// The command as npm links it.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const command = fileURLToPath(new URL('../../../node_modules/.bin/edictum', import.meta.url))

it('npx edictum starts what was built', async () => {
  const { stdout } = await promisify(execFile)(command, ['help'])
  expect(stdout).toContain('usage: edictum <command>')
})
