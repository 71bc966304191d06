// The console beside the demo, on a folder of its own: what the demo's guard needs of it, and where to look at it.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { EdictumServerClient, ServerApprovalBackend, ServerAuditSink, ServerBackend } from 'edictum/server'

const program = fileURLToPath(new URL('../../packages/console/bin/edictum-console.js', import.meta.url))

export async function startConsole() {
  const folder = mkdtempSync(join(tmpdir(), 'edictum-demo-'))
  const console_ = spawn(process.execPath, [program, '--data', join(folder, 'console'), '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  process.once('exit', () => {
    console_.kill()
    rmSync(folder, { recursive: true, force: true })
  })
  // Without these a signal ends the demo alone, and the console stays behind.
  process.once('SIGINT', () => process.exit(130))
  process.once('SIGTERM', () => process.exit(143))
  const { address, link, apiKey } = await firstWords(console_)
  console.log(`The console runs. Log in with this link, and answer there when the agent asks:\n  ${link}`)
  const client = new EdictumServerClient({ baseUrl: address, apiKey, agentId: 'demo' })
  const sink = new ServerAuditSink(client, { spoolFolder: join(folder, 'spool') })
  return {
    backend: new ServerBackend(client),
    approvalBackend: new ServerApprovalBackend(client),
    sinks: [sink, { emit: sayWhenAsked }],
    finish: async () => {
      await sink.close()
      console.log(`\nThe console goes on: ${link}\nCtrl+C ends it and removes what it stored.`)
      await new Promise(() => {})
    },
  }
}

async function sayWhenAsked({ action, reason }) {
  if (action === 'call_approval_requested')
    console.log(`  asked      ${reason}  Answer in the console, within a minute.`)
}

/** What the first start prints: where it listens, how to log in, and a key. */
async function firstWords(child) {
  let output = ''
  for await (const text of child.stdout.setEncoding('utf8')) {
    output += text
    const address = /listens on (\S+)/.exec(output)?.[1]
    const link = /^ +(\S+\/login\/\S+)$/m.exec(output)?.[1]
    const apiKey = /^ +(edk_\S+)$/m.exec(output)?.[1]
    if (address !== undefined && link !== undefined && apiKey !== undefined) return { address, link, apiKey }
  }
  throw new Error(`the console did not start:\n${output}`)
}
