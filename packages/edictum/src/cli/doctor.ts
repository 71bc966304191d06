// `edictum doctor`: whether what this project relies on works here, found out by trying it.
import { resolve } from 'node:path'
import { loadBundle } from '../contracts/load.js'
import { messageOf } from '../internal/message-of.js'
import { VERSION } from '../version.js'
import type { Command, Invocation } from './command.js'
import { frameworkProbes } from './framework-probes.js'
import { findPackage } from './project-package.js'
import { counted } from './layout.js'
import { reach } from './reach.js'
import { reachFile } from './reach-sink.js'
import { paint, type Terminal } from './terminal.js'

interface Finding {
  readonly name: string
  readonly ok: boolean
  readonly detail: string
}

export const doctor: Command = {
  name: 'doctor',
  summary: 'Try out what this project relies on, from Node to storage.',
  operands: '',
  options: {
    contracts: { value: 'FILE', isRepeatable: true, summary: 'A bundle that must load.' },
    storage: { value: 'URL', isRepeatable: true, summary: 'A storage that must be reachable.' },
    audit: { value: 'FILE', isRepeatable: true, summary: 'An audit file that must be writable.' },
    console: { value: 'URL', summary: 'A console that must be reachable.' },
    json: { summary: 'Answer in JSON.' },
  },
  run: async (invocation) => {
    const { terminal, options } = invocation
    const findings = await examine(invocation)
    const isWell = findings.every(({ ok }) => ok)
    if (options.isSet('json')) terminal.say(JSON.stringify({ ok: isWell, findings }, null, 2))
    else for (const finding of findings) tell(terminal, finding)
    return isWell ? 0 : 1
  },
}

async function examine({ options, folder }: Invocation): Promise<readonly Finding[]> {
  return [
    node(),
    { name: 'edictum', ok: true, detail: VERSION },
    await clock(),
    ...(await Promise.all(options.list('contracts').map(async (file) => contracts(file, folder)))).flat(),
    ...(await Promise.all(options.list('storage').map(async (url) => place('storage', url)))),
    ...options.list('audit').map((file) => auditFile(file, folder)),
    ...(await Promise.all([options.text('console') ?? []].flat().map(async (url) => place('console', url)))),
    ...(await frameworks(folder)),
  ]
}

const leastNode = [20, 19] as const

function node(): Finding {
  const { node: detail } = process.versions
  const [major = 0, minor = 0] = detail.split('.').map(Number)
  const ok = major > leastNode[0] || (major === leastNode[0] && minor >= leastNode[1])
  return {
    name: 'node',
    ok,
    detail: ok ? detail : `${detail}, but ${leastNode.join('.')} or newer is needed`,
  }
}

/** Timeouts need a clock that moves, and records one that is not set to before this package existed. */
async function clock(): Promise<Finding> {
  const before = performance.now()
  await new Promise((done) => setTimeout(done, 5))
  const passed = performance.now() - before
  const now = new Date()
  const ok = passed > 0 && passed < 5_000 && now.getUTCFullYear() >= 2025
  return { name: 'clock', ok, detail: ok ? now.toISOString() : `${now.toISOString()} cannot be right` }
}

/** The bundle, and where it says that audit events go. */
async function contracts(file: string, folder: string): Promise<readonly Finding[]> {
  const name = `contracts ${file}`
  try {
    const { bundle } = loadBundle(resolve(folder, file), { file })
    const { file: audit, otel } = bundle.observability
    return [
      { name, ok: true, detail: counted(bundle.contracts.length, 'contract') },
      ...(audit === undefined ? [] : [auditFile(audit, folder)]),
      ...(otel?.enabled === true ? [await place('telemetry', otel.endpoint)] : []),
    ]
  } catch (error) {
    return [{ name, ok: false, detail: messageOf(error) }]
  }
}

function auditFile(file: string, folder: string): Finding {
  return { name: `audit ${file}`, ...reachFile(resolve(folder, file)) }
}

async function place(what: string, url: string): Promise<Finding> {
  const { ok, detail, place: where } = await reach(url)
  return { name: `${what} ${where}`, ok, detail }
}

async function frameworks(folder: string): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  for (const { packages, probe } of frameworkProbes) {
    const found = packages.flatMap((name) => findPackage(name, folder) ?? [])
    if (found.length < packages.length) continue
    const name = found.map((one) => `${one.name} ${one.version}`).join(' + ')
    try {
      findings.push({ name, ...(await probe(found)) })
    } catch (error) {
      findings.push({ name, ok: false, detail: `could not be tried: ${messageOf(error)}` })
    }
  }
  return findings
}

function tell(terminal: Terminal, { name, ok, detail }: Finding): void {
  const mark = ok ? paint(terminal, 'green', '✓') : paint(terminal, 'red', '✗')
  terminal.say(`${mark} ${paint(terminal, 'bold', name)}: ${detail}`)
}
