// `edictum mcp`: a gateway as a process, in front of a server that is started here or reached over HTTP. Standard output
// belongs to the protocol; whatever else there is to say goes to standard error.
import { resolve } from 'node:path'
import { createGateway, elicitationApprovals } from '../adapters/mcp/index.js'
import { loadBundle } from '../contracts/load.js'
import { FileAuditSink } from '../drivers/audit/file.js'
import { Edictum } from '../edictum.js'
import type { ApprovalBackend } from '../guard/ports/approval-backend.js'
import { VERSION } from '../version.js'
import { environmentOption, principalOptions, readPrincipalOptions } from './call-options.js'
import { type Command, type ExitCode, type Invocation, UsageError } from './command.js'
import { loadMcpSdk, type McpSdk, type SdkClient } from './mcp-sdk.js'

export const mcp: Command = {
  name: 'mcp',
  summary: 'Stand between an MCP client and a server that is not yours.',
  operands: '',
  startsProgram: true,
  options: {
    contracts: { value: 'FILE', isRepeatable: true, summary: 'A bundle; several are layers, left to right.' },
    url: { value: 'URL', summary: 'A server over Streamable HTTP, instead of a program after `--`.' },
    header: {
      value: 'NAME=VARIABLE',
      isRepeatable: true,
      summary: 'Send a header to the URL, with the value of an environment variable.',
    },
    'session-id': { value: 'ID', summary: 'Whose limits calls count against.' },
    environment: environmentOption,
    ...principalOptions,
    audit: { value: 'FILE', summary: 'Append every audit event to a file, as lines of JSON.' },
    observe: { summary: 'Record what contracts would deny, and deny nothing.' },
  },
  run: serve,
}

async function serve(invocation: Invocation): Promise<ExitCode> {
  const { terminal, folder, options } = invocation
  checkUsage(invocation)
  const sdk = await loadMcpSdk(folder)
  const server = new sdk.Server({ name: 'edictum', version: VERSION }, {})
  // Loaded before anything is started: without contracts nothing must run.
  const guard = guardOf(invocation, elicitationApprovals(server))
  const upstream = await connectUpstream(sdk, invocation)
  const sessionId = options.text('session-id')
  const environment = options.text('environment')
  const principal = readPrincipalOptions(options)
  let isOver = false
  createGateway(guard, {
    server,
    upstreams: { server: upstream },
    onUpstreamClosed: () => {
      if (!isOver) terminal.complain('edictum: the server behind the gateway is gone')
    },
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(environment === undefined ? {} : { environment }),
    ...(principal === undefined ? {} : { principal }),
  })
  const left = untilLeft()
  await server.connect(new sdk.StdioServerTransport())
  terminal.complain(`edictum: guarding with contracts ${guard.policyVersion?.slice(0, 12) ?? ''}`)
  await left
  isOver = true
  await server.close()
  await upstream.close()
  await guard.close()
  return 0
}

function checkUsage({ operands, program, options }: Invocation): void {
  if (operands.length > 0) throw new UsageError(`\`${operands[0]}\` must stand after \`--\``)
  if (options.list('contracts').length === 0) throw new UsageError('mcp needs --contracts FILE')
  if ((options.text('url') === undefined) === (program.length === 0))
    throw new UsageError('mcp needs either a program after `--` or --url')
  if (options.list('header').length > 0 && options.text('url') === undefined)
    throw new UsageError('--header goes with --url')
}

function guardOf({ options, folder, terminal }: Invocation, approvalBackend: ApprovalBackend): Edictum {
  const files = options.list('contracts').map((file) => resolve(folder, file))
  const audit = options.text('audit')
  if (audit === undefined && files.some(writesToStandardOutput))
    throw new UsageError('a bundle writes audit to standard output, which belongs to MCP; give --audit FILE')
  const isObserving = options.isSet('observe')
  if (isObserving) terminal.complain('edictum: observing only; nothing is denied')
  const [first = '', ...more] = files
  return Edictum.fromYaml(first, ...more, {
    approvalBackend,
    ...(isObserving ? { mode: 'observe' as const } : {}),
    ...(audit === undefined ? {} : { auditSink: new FileAuditSink(resolve(folder, audit)) }),
  })
}

function writesToStandardOutput(file: string): boolean {
  return loadBundle(file).bundle.observability.stdout === true
}

async function connectUpstream(sdk: McpSdk, { options, program, folder }: Invocation): Promise<SdkClient> {
  const client = new sdk.Client({ name: 'edictum', version: VERSION }, {})
  const url = options.text('url')
  const [command = '', ...args] = program
  const transport =
    url === undefined
      ? new sdk.StdioClientTransport({ command, args, env: process.env, cwd: folder, stderr: 'inherit' })
      : new sdk.StreamableHTTPClientTransport(addressOf(url), {
          requestInit: { headers: headersOf(options.list('header')) },
        })
  await client.connect(transport)
  return client
}

function addressOf(url: string): URL {
  const address = URL.canParse(url) ? new URL(url) : undefined
  if (address?.protocol !== 'http:' && address?.protocol !== 'https:')
    throw new UsageError(`\`${url}\` is not an http or https address`)
  return address
}

/** By way of the environment, because other users of the machine can read command lines. */
function headersOf(given: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    given.map((header) => {
      const [name = '', variable = ''] = header.split('=', 2)
      const value = process.env[variable]
      if (name === '' || value === undefined)
        throw new UsageError(`--header ${name}=${variable}: there is no such environment variable`)
      return [name, value]
    }),
  )
}

/** The client hangs up, or somebody ends the process. */
async function untilLeft(): Promise<void> {
  return new Promise((done) => {
    process.stdin.once('end', done)
    process.stdin.once('close', done)
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => done())
  })
}
