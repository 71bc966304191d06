// A process with nothing else to do stays for a call that waits for somebody: every call has an end, and a record of it.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const start = promisify(execFile)
const entry = pathToFileURL(join(import.meta.dirname, '../../dist/index.js')).href

const program = `
import { Edictum, MemoryApprovalBackend } from ${JSON.stringify(entry)}
const guard = Edictum.fromYamlString(\`
apiVersion: edictum/v1
kind: ContractBundle
metadata: { name: waiting }
defaults: { mode: enforce }
contracts:
  - id: ask-first
    type: pre
    tool: deploy
    when: { args.service: { exists: true } }
    then: { effect: approve, message: 'Deploy {args.service}?', timeout: 1 }
\`, { approvalBackend: BACKEND })
const call = guard.run('deploy', { service: 'web' }, () => 'deployed')
await call.catch(({ name }) => console.log(name))
console.log(guard.localSink.events.map(({ action }) => action).join())
`

describe('a process whose last call waits for a person', () => {
  let folder = ''

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'edictum-pending-'))
  })

  afterEach(() => rm(folder, { recursive: true }))

  it.each([
    ['whose backend reports that time is up', 'new MemoryApprovalBackend()'],
    [
      'whose backend says nothing at all',
      "{ requestApproval: async () => ({ approvalId: 'a' }), waitForDecision: () => new Promise(() => {}) }",
    ],
  ])('%s ends with the call denied and on record', async (_, backend) => {
    const file = join(folder, 'program.mjs')
    await writeFile(file, program.replace('BACKEND', backend))
    const { stdout } = await start(process.execPath, [file])
    expect(stdout.trim().split('\n')).toEqual([
      'EdictumDenied',
      'call_approval_requested,call_approval_timeout',
    ])
  })
})
