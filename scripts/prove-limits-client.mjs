// @ts-check
// One of the processes of prove-limits.mjs: a guard on a shared storage and many calls at once. Says `ready`, waits for a line
// on its input, says `unavailable` when a call was denied because the storage was away, and ends with a line that says how its
// calls ended.
import { appendFileSync } from 'node:fs'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { Edictum, EdictumDenied, EdictumToolError } from '../packages/edictum/dist/index.js'
import { openBackend } from '../services/open-backend.mjs'
import { historyLine } from './limit-history.mjs'

/** @typedef {import('./prove-limits.mjs').ClientOptions} ClientOptions */

/** @type {ClientOptions} */
const options = JSON.parse(process.argv[2] ?? '{}')
const { limit, leaseSeconds, sessionId, historyFile, toolMs, failingShare, calls, waves, waveMs } = options

const { backend, close } = await openBackend(options.backend, options.url)
const bundle = `
apiVersion: edictum/v1
kind: ContractBundle
metadata: { name: prove-limits }
defaults: { mode: enforce }
contracts:
  - id: limit
    type: session
    limits: { max_tool_calls: ${limit}, max_attempts: 1000000 }
    then: { effect: deny, message: enough }
`
const guard = Edictum.fromYamlString(bundle, { backend, leaseSeconds, portTimeoutMs: 20_000 })
// That a call could not be counted while the server was away is what is being tested.
process.removeAllListeners('warning')
process.on('warning', () => undefined)

let lastCall = 0
const tool = async () => {
  const call = `${process.pid}-${++lastCall}`
  appendFileSync(historyFile, historyLine('begin', call))
  await pause(Math.random() * toolMs)
  const hasFailed = Math.random() < failingShare
  appendFileSync(historyFile, historyLine(hasFailed ? 'failure' : 'success', call))
  return hasFailed ? 'Error: by chance' : 'done'
}

const ends = { ran: 0, failed: 0, limited: 0, unavailable: 0, other: 0 }
const call = async () => {
  try {
    await guard.run('work', {}, tool, { sessionId })
    ends.ran++
  } catch (error) {
    if (error instanceof EdictumToolError) ends.failed++
    else if (!(error instanceof EdictumDenied)) ends.other++
    else if (error.decisionSource === 'storage_error') {
      if (ends.unavailable++ === 0) process.stdout.write('unavailable\n')
    } else ends.limited++
  }
}

await backend.get('s:prove:ready')
process.stdout.write('ready\n')
await once(process.stdin, 'data')
for (let wave = 0; wave < waves; wave++) {
  if (wave > 0) await pause(waveMs)
  await Promise.all(Array.from({ length: calls / waves }, call))
}
process.stdout.write(`${JSON.stringify(ends)}\n`)
await close()
process.exit(0)
