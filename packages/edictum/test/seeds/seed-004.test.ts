// Sentences of the seed 004_5bcc68dd9ed16d7c.txt (how it works), each as a test.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

import {
  type ApprovalBackend,
  type ApprovalDecision,
  CollectingAuditSink,
  Edictum,
  EdictumDenied,
} from '../../src/index.js'
import { actionsOf, always, guardOf, pre, session, yamlOf } from '../guard/bundles.js'
import { endOf, endsOf } from './calls.js'

const blockDotenv = {
  id: 'block-dotenv',
  type: 'pre',
  tool: 'read_file',
  when: { 'args.path': { contains: '.env' } },
  then: { effect: 'deny', message: 'Read of sensitive file denied: {args.path}' },
}

const ssnInOutput = (effect: string) => ({
  id: 'pii',
  type: 'post',
  tool: '*',
  when: { 'output.text': { matches: String.raw`\b\d{3}-\d{2}-\d{4}\b` } },
  then: { effect, message: 'SSN in output' },
})

const workspace = {
  id: 'workspace',
  type: 'sandbox',
  tool: 'read_file',
  within: ['/workspace'],
  message: 'Outside of /workspace',
}

const deletion = {
  id: 'ask-before-delete',
  type: 'pre',
  tool: 'delete_records',
  when: always,
  then: { effect: 'approve', message: 'May {tool.name} run?' },
}

function answering(decision: ApprovalDecision, asked: string[] = []): ApprovalBackend {
  return {
    requestApproval: async () => {
      asked.push('request_approval')
      return { approvalId: 'a' }
    },
    waitForDecision: async () => {
      asked.push('wait_for_decision')
      return decision
    },
  }
}

const callDelete = { table: 'users', query: 'WHERE inactive = true' }

describe('004_5bcc68dd9ed16d7c.txt', () => {
  it('"If any contract fails, the call is denied and never reaches the tool."', async () => {
    const guard = guardOf([
      pre('passes', { 'args.x': { equals: 2 } }),
      pre('fails', always),
      pre('passes-too', { 'args.x': { equals: 3 } }),
    ])
    let runs = 0
    expect(await endOf(guard.run('T', { x: 1 }, () => ++runs))).toBe('EdictumDenied')
    expect(runs).toBe(0)
  })

  describe('"A Denied Call: Step by Step"', () => {
    it('"builds a ToolEnvelope -- a frozen snapshot of the tool name, arguments, and principal"', async () => {
      let frozen: unknown
      const args = { path: 'config.txt', nested: { deep: [1] } }
      const guard = guardOf([], { principal: { role: 'dev', claims: { team: 'a' } } })
      await guard.run('read_file', args, (given, { envelope }) => {
        frozen = [envelope, given, given['nested'], envelope.principal, envelope.principal?.claims].map(
          (part) => Object.isFrozen(part),
        )
        expect(envelope).toMatchObject({ toolName: 'read_file', args, principal: { role: 'dev' } })
        expect(given).not.toBe(args)
      })
      expect(frozen).toEqual([true, true, true, true, true])
    })

    it('"The tool function never executes. The agent receives the denial message: "Read of sensitive file denied: .env"."', async () => {
      const guard = guardOf([blockDotenv])
      let runs = 0
      const running = guard.run('read_file', { path: '.env' }, () => ++runs)
      await expect(running).rejects.toThrow(EdictumDenied)
      await expect(running).rejects.toThrow('Read of sensitive file denied: .env')
      expect(runs).toBe(0)
    })

    it('"If the call falls outside a sandbox boundary, it is denied before reaching session limits."', async () => {
      const guard = guardOf([workspace, session('s', { max_tool_calls: 1 })])
      await guard.run('read_file', { path: '/workspace/a' }, () => 1)
      await expect(guard.run('read_file', { path: '/etc/passwd' }, () => 1)).rejects.toMatchObject({
        decisionSource: 'yaml_sandbox',
      })
    })

    it('"An AuditEvent with action: CALL_DENIED is written to all configured sinks"', async () => {
      const [one, other] = [new CollectingAuditSink(), new CollectingAuditSink()]
      const guard = guardOf([blockDotenv], { auditSink: [one, other] })
      await endOf(guard.run('read_file', { path: '.env' }, () => 1))
      for (const sink of [guard.localSink, one, other])
        expect(sink.events.map(({ action }) => action)).toEqual(['call_denied'])
    })

    it('"The event records the tool name, arguments, principal, which contract fired, and the policy version hash."', async () => {
      const guard = guardOf([blockDotenv], { principal: { role: 'dev' } })
      await endOf(guard.run('read_file', { path: '.env' }, () => 1))
      expect(guard.localSink.last()).toMatchObject({
        toolName: 'read_file',
        toolArgs: { path: '.env' },
        principal: { role: 'dev' },
        decisionName: 'block-dotenv',
        policyVersion: guard.policyVersion,
      })
      expect(guard.policyVersion).toMatch(/^[0-9a-f]{64}$/)
    })
  })

  describe('"An Approval Gate: Step by Step"', () => {
    it('"A CALL_APPROVAL_REQUESTED audit event is emitted. The pipeline then calls approval_backend.wait_for_decision() and blocks until a decision arrives"', async () => {
      const asked: string[] = []
      let decide: (() => void) | undefined
      const backend = answering({ approved: true, status: 'approved' }, asked)
      const guard = guardOf([deletion], {
        approvalBackend: {
          ...backend,
          waitForDecision: async (...given) => {
            await new Promise<void>((resolve) => {
              decide = resolve
            })
            return backend.waitForDecision(...given)
          },
        },
      })
      let runs = 0
      const running = guard.run('delete_records', callDelete, () => ++runs)
      await new Promise<void>((resolve) => setImmediate(resolve))
      expect(actionsOf(guard)).toEqual(['call_approval_requested'])
      expect(runs).toBe(0)
      decide?.()
      await running
      expect(asked).toEqual(['request_approval', 'wait_for_decision'])
      expect(runs).toBe(1)
    })

    it('"If approved: The tool executes normally. A CALL_APPROVAL_GRANTED audit event is emitted and on_allow fires."', async () => {
      let allowed = 0
      const guard = guardOf([deletion], {
        approvalBackend: answering({ approved: true, status: 'approved' }),
        onAllow: () => ++allowed,
      })
      expect(await guard.run('delete_records', callDelete, () => 'gone')).toBe('gone')
      expect(actionsOf(guard)).toContain('call_approval_granted')
      expect(allowed).toBe(1)
    })

    it('"If denied: EdictumDenied is raised. A CALL_APPROVAL_DENIED audit event is emitted and on_deny fires."', async () => {
      const denied: string[] = []
      const guard = guardOf([deletion], {
        approvalBackend: answering({ approved: false, status: 'denied', reason: 'not these' }),
        onDeny: (_, reason) => denied.push(reason),
      })
      expect(await endOf(guard.run('delete_records', callDelete, () => 1))).toBe('EdictumDenied')
      expect(actionsOf(guard)).toContain('call_approval_denied')
      expect(denied).toEqual(['not these'])
    })

    it('"If timeout: The timeout_effect determines the outcome. Default is deny (raises EdictumDenied). A CALL_APPROVAL_TIMEOUT audit event is emitted."', async () => {
      const late = { approvalBackend: answering({ approved: false, status: 'timeout' }) }
      const byDefault = guardOf([deletion], late)
      expect(await endOf(byDefault.run('delete_records', callDelete, () => 1))).toBe('EdictumDenied')
      expect(actionsOf(byDefault).at(-1)).toBe('call_approval_timeout')
      const allowing = guardOf([{ ...deletion, then: { ...deletion.then, timeout_effect: 'allow' } }], late)
      expect(await endOf(allowing.run('delete_records', callDelete, () => 1))).toBe('returned')
      expect(actionsOf(allowing)).toContain('call_approval_timeout')
    })
  })

  describe('"An Allowed Call: Step by Step"', () => {
    it('"The value is "config.txt" -- no match. All other preconditions pass."', async () => {
      const guard = guardOf([blockDotenv])
      expect(await guard.run('read_file', { path: 'config.txt' }, () => 'contents')).toBe('contents')
    })

    it('"If a sandbox defines within: ["/workspace"] for read_file, the pipeline verifies that args.path falls within the allowed boundary."', async () => {
      const guard = guardOf([workspace])
      expect(await endOf(guard.run('read_file', { path: '/workspace/config.txt' }, () => 1))).toBe('returned')
      expect(await endOf(guard.run('read_file', { path: '/workspace/../etc/passwd' }, () => 1))).toBe(
        'EdictumDenied',
      )
    })

    const ssn = ['123', '45', '6789'].join('-')
    it.each(['read', 'pure'] as const)(
      '"For READ/PURE tools, postconditions with effect: redact replace matched patterns in the output with [REDACTED]" (%s)',
      async (sideEffect) => {
        const guard = guardOf([ssnInOutput('redact')])
        expect(await guard.run('T', {}, () => `it is ${ssn}.`, { sideEffect })).toBe('it is [REDACTED].')
      },
    )
    it.each(['read', 'pure'] as const)(
      '"… and effect: deny suppresses the output entirely" (%s)',
      async (sideEffect) => {
        const guard = guardOf([ssnInOutput('deny')])
        const output = await guard.run('T', {}, () => `it is ${ssn}.`, { sideEffect })
        expect(output).toBe('[OUTPUT SUPPRESSED] SSN in output')
      },
    )
    it.each(['write', 'irreversible'] as const)(
      '"For WRITE/IRREVERSIBLE tools, effects fall back to warn because the action already happened." (%s)',
      async (sideEffect) => {
        for (const effect of ['redact', 'deny']) {
          const guard = guardOf([ssnInOutput(effect)])
          expect(await guard.run('T', {}, () => `it is ${ssn}.`, { sideEffect })).toBe(`it is ${ssn}.`)
          expect(guard.localSink.last().postconditionsPassed).toBe(false)
        }
      },
    )
    it('"If a pattern matches, the contract produces a finding."', async () => {
      const guard = guardOf([ssnInOutput('warn')])
      const admission = await guard.begin({ toolName: 'T', args: {} })
      if (admission.kind !== 'admitted') throw new Error('expected to be admitted')
      expect((await admission.finish({ output: ssn })).findings).toMatchObject([
        { contractId: 'pii', type: 'pii_detected', message: 'SSN in output' },
      ])
    })

    it('"An AuditEvent with action: CALL_EXECUTED is written. It includes the tool name, arguments, whether postconditions passed, any findings, and the policy version hash."', async () => {
      const guard = guardOf([ssnInOutput('warn')])
      await guard.run('read_file', { path: 'config.txt' }, () => ssn)
      expect(guard.localSink.last()).toMatchObject({
        action: 'call_executed',
        toolName: 'read_file',
        toolArgs: { path: 'config.txt' },
        postconditionsPassed: false,
        contractsEvaluated: [{ name: 'pii', passed: false, message: 'SSN in output' }],
        policyVersion: guard.policyVersion,
      })
    })
  })

  it('"A precondition like args.path: { contains: ".env" } will always deny when the path contains .env."', async () => {
    const guard = guardOf([blockDotenv], { limits: { maxAttempts: 10_000 } })
    const ends = await endsOf(300, async () => guard.run('read_file', { path: 'app/.env.local' }, () => 1))
    expect(new Set(ends)).toEqual(new Set(['EdictumDenied']))
  })

  describe('"Shadow Contracts (Dual-Mode Evaluation)"', () => {
    async function compose(candidate: readonly object[], use: (guard: Edictum) => Promise<void>) {
      const folder = mkdtempSync(join(tmpdir(), 'edictum-seed-'))
      try {
        const [real, shadow] = [join(folder, 'real.yaml'), join(folder, 'candidate.yaml')]
        writeFileSync(real, yamlOf([blockDotenv]))
        const parts = JSON.parse(yamlOf(candidate)) as object
        writeFileSync(shadow, JSON.stringify({ ...parts, observe_alongside: true }))
        await use(Edictum.fromYaml(real, shadow))
      } finally {
        rmSync(folder, { recursive: true })
      }
    }
    const config = { path: 'config.txt' }

    it('"Shadow contracts produce audit events but never affect allow/deny decisions." "Each shadow result emits a separate audit event with mode: "observe" -- either CALL_WOULD_DENY or CALL_ALLOWED."', async () => {
      const candidates = [
        { ...pre('stricter', always), tool: 'read_file' },
        { ...pre('idle', { 'args.x': { exists: true } }), tool: 'read_file' },
      ]
      await compose(candidates, async (guard) => {
        expect(await guard.run('read_file', config, () => 'contents')).toBe('contents')
        expect(
          guard.localSink.events.map(({ action, mode, decisionName }) => [action, mode, decisionName]),
        ).toEqual([
          ['call_allowed', 'enforce', null],
          ['call_would_deny', 'observe', 'stricter:candidate'],
          ['call_allowed', 'observe', 'idle:candidate'],
          ['call_executed', 'enforce', null],
        ])
      })
    })

    it('"After all real checks pass, the pipeline evaluates shadow preconditions, sandbox contracts, and session contracts."', async () => {
      await compose(
        [{ ...pre('stricter', always), tool: 'read_file' }, workspace, session('cap', { max_tool_calls: 1 })],
        async (guard) => {
          await guard.run('read_file', config, () => 1)
          await guard.run('read_file', config, () => 1)
          const sources = guard.localSink.events
            .filter(({ mode, action }) => mode === 'observe' && action === 'call_would_deny')
            .map(({ decisionSource }) => decisionSource)
          expect(new Set(sources)).toEqual(new Set(['yaml_precondition', 'yaml_sandbox', 'yaml_session']))
          expect(await endOf(guard.run('read_file', { path: '.env' }, () => 1))).toBe('EdictumDenied')
          // Denied by a real contract: the candidates are not asked.
          expect(guard.localSink.last().action).toBe('call_denied')
        },
      )
    })
  })

  describe('"What Happens at Each Stage"', () => {
    it('"Sandbox contracts: CALL_DENIED with decision_source: yaml_sandbox"', async () => {
      const guard = guardOf([workspace])
      await endOf(guard.run('read_file', { path: '/etc/passwd' }, () => 1))
      expect(guard.localSink.last()).toMatchObject({ action: 'call_denied', decisionSource: 'yaml_sandbox' })
    })
    it('"Session limits: CALL_DENIED if limit exceeded"', async () => {
      const guard = guardOf([session('s', { max_tool_calls: 1 })])
      await endsOf(2, async () => guard.run('T', {}, () => 1))
      expect(guard.localSink.last().action).toBe('call_denied')
    })
    it('"Postconditions: CALL_EXECUTED with warnings"', async () => {
      const guard = guardOf([ssnInOutput('warn')])
      const admission = await guard.begin({ toolName: 'T', args: {} })
      if (admission.kind !== 'admitted') throw new Error('expected to be admitted')
      const end = await admission.finish({ output: ['123', '45', '6789'].join('-') })
      expect(end.warnings).toHaveLength(1)
      expect(guard.localSink.last().action).toBe('call_executed')
    })
    it('"Audit: After every evaluation. Structured event to all sinks"', async () => {
      const guard = guardOf([blockDotenv])
      await endOf(guard.run('read_file', { path: '.env' }, () => 1))
      await endOf(guard.run('read_file', { path: 'a' }, () => 1))
      await endOf(guard.run('read_file', { path: 'a' }, () => 'Error: no'))
      expect(actionsOf(guard)).toEqual([
        'call_denied',
        'call_allowed',
        'call_executed',
        'call_allowed',
        'call_failed',
      ])
    })
  })
})
