// An agent under contracts, as users have one: its guard decides, its record and its questions go to the console.
import { Writable } from 'node:stream'
import {
  type ApprovalBackend,
  type ApprovalDecision,
  composeBundles,
  Edictum,
  loadBundleString,
  StdoutAuditSink,
} from 'edictum'
import type { Approval } from '../../src/protocol/approvals.js'
import type { TestConsole } from '../test-console.js'

const demoBundle = `
apiVersion: edictum/v1
kind: ContractBundle
metadata: { name: demo }
defaults: { mode: enforce }
contracts:
  - id: no-secrets
    type: pre
    tool: read_file
    when: { args.path: { contains: ".env" } }
    then: { effect: deny, message: "Read of sensitive file denied: {args.path}" }
  - id: no-rm
    type: pre
    tool: run_command
    when: { args.command: { contains: "rm -rf" } }
    then: { effect: deny, message: "Deleting trees is not for agents: {args.command}" }
  - id: deploys-need-consent
    type: pre
    tool: deploy
    when: { args.target: { equals: production } }
    then:
      effect: approve
      message: "Deploy {args.service} to production?"
      timeout: 300
      timeout_effect: deny
  - id: watch-writes
    type: pre
    mode: observe
    tool: write_file
    when: { args.path: { starts_with: "/etc/" } }
    then: { effect: deny, message: "Writes below /etc would be denied: {args.path}" }
`

export interface DemoAgent {
  readonly guard: Edictum
  /** A call; the reason when it was denied. */
  readonly call: (tool: string, args: Record<string, unknown>) => Promise<string>
}

export interface AgentOptions {
  readonly name?: string
  readonly bundle?: string
  /** On trial beside the bundle: asked about every call, decides none. */
  readonly candidate?: string
  readonly session?: string
}

export function startDemoAgent(console: TestConsole, options: AgentOptions = {}): DemoAgent {
  const { name = 'demo-agent', bundle = demoBundle, session = 'session-1' } = options
  const headers = { 'X-Edictum-Agent-Id': name }
  const guard = new Edictum(
    {
      auditSink: new StdoutAuditSink({ stream: eventStream(console, headers) }),
      approvalBackend: consoleApprovals(console, headers),
      environment: 'production',
      principal: { userId: 'alice', role: 'engineer' },
    },
    loadLayers(bundle, options.candidate),
  )
  return {
    guard,
    call: (tool, args) =>
      guard.run(tool, args, async () => `done: ${tool}`, { sessionId: session }).then(String, String),
  }
}

function loadLayers(text: string, candidate: string | undefined): ReturnType<typeof loadBundleString> {
  const loaded = loadBundleString(text)
  if (candidate === undefined) return loaded
  const layers = [loaded, loadBundleString(candidate)].map(
    ({ bundle }, index) => [bundle, `${index}`] as const,
  )
  return { ...loaded, bundle: composeBundles(...layers).bundle }
}

function eventStream(console: TestConsole, headers: Record<string, string>): Writable {
  return new Writable({
    write(line: Buffer, _encoding, done) {
      const event = JSON.parse(line.toString()) as unknown
      console
        .ask('/api/edictum/v1/events', { body: { events: [event] }, headers })
        .then(({ status, body }) => done(status === 200 ? null : new Error(JSON.stringify(body))), done)
    },
  })
}

function consoleApprovals(console: TestConsole, headers: Record<string, string>): ApprovalBackend {
  return {
    async requestApproval(toolName, toolArgs, message, terms) {
      const { body, status } = await console.ask('/api/edictum/v1/approvals', {
        headers,
        body: {
          tool_name: toolName,
          tool_args: toolArgs,
          message,
          timeout: terms.timeout,
          timeout_effect: terms.timeoutEffect,
          args_hash: terms.argsHash,
          principal: terms.principal,
          metadata: terms.metadata,
          session_id: terms.sessionId,
        },
      })
      if (status !== 201) throw new Error(JSON.stringify(body))
      return { approvalId: (body as Approval).id }
    },
    async waitForDecision(approvalId): Promise<ApprovalDecision> {
      for (;;) {
        const { body } = await console.ask(`/api/edictum/v1/approvals/${approvalId}?wait=5`, { headers })
        const { status, decided_by: approver, decision_reason: reason } = body as Approval
        if (status === 'pending') continue
        return {
          approved: status === 'approved',
          status: status === 'approved' ? status : 'denied',
          approver,
          reason,
        }
      }
    },
  }
}
