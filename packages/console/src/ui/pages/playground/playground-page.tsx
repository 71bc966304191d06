// Trying contracts: what a draft says about a call, and what it would have said about the calls that were made.
import { type ReactNode, useState } from 'react'
import type { BundleFindings, TriedJudgement } from '../../../protocol/bundle-check.js'
import { request } from '../../data/request.js'
import { useAction } from '../../data/use-action.js'
import { useBundleCheck } from '../../data/use-bundle-check.js'
import { Badge, type Tone } from '../../parts/badge.js'
import { ActionButton } from '../../parts/button.js'
import { CheckProgress } from '../../parts/check-progress.js'
import { ContractConditions } from '../../parts/condition-tree.js'
import { Field } from '../../parts/field.js'
import { Page } from '../../parts/page.js'
import { Failure } from '../../parts/states.js'
import { Table } from '../../parts/table.js'
import { UntrustedText } from '../../parts/untrusted-text.js'
import { YamlEditor } from '../../parts/yaml-editor.js'

const example = `apiVersion: edictum/v1
kind: ContractBundle
metadata: { name: playground }
defaults: { mode: enforce }
contracts:
  - id: no-secrets
    type: pre
    tool: read_file
    when: { args.path: { contains: ".env" } }
    then: { effect: deny, message: "Read of sensitive file denied: {args.path}" }
`

const tones: Record<TriedJudgement['verdict'], Tone> = {
  allow: 'good',
  deny: 'bad',
  approve: 'open',
  warn: 'open',
}

export function PlaygroundPage(): ReactNode {
  const [text, setText] = useState(example)
  const [tool, setTool] = useState('read_file')
  const [args, setArgs] = useState('{ "path": "config/.env" }')
  const parsed = readArguments(args)
  const check = useBundleCheck(
    text,
    parsed === undefined ? undefined : { tool_name: tool, tool_args: parsed },
  )
  const { findings } = check
  return (
    <Page title="Playground">
      <div className="panels">
        <section aria-label="Draft">
          <YamlEditor
            label="Contracts in YAML"
            text={text}
            faults={findings?.ok === false ? findings.faults : []}
            onChange={setText}
          />
        </section>
        <section aria-label="Call">
          <Field label="Tool">
            {(control) => (
              <input {...control} value={tool} onChange={({ target }) => setTool(target.value)} />
            )}
          </Field>
          <Field
            label="Arguments"
            hint={parsed === undefined ? 'Not an object in JSON yet.' : 'An object in JSON.'}
          >
            {(control) => (
              <textarea
                {...control}
                rows={5}
                className="code"
                spellCheck={false}
                aria-invalid={parsed === undefined}
                value={args}
                onChange={({ target }) => setArgs(target.value)}
              />
            )}
          </Field>
          <CheckProgress check={check} />
          <Verdict findings={findings} />
        </section>
      </div>
      <Replay text={text} />
    </Page>
  )
}

function readArguments(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

function Verdict({ findings }: { findings: BundleFindings | undefined }): ReactNode {
  const judgement = findings?.ok === true ? findings.judgement : null
  return (
    <section aria-label="Verdict">
      <h2>
        Verdict{' '}
        <span role="status">
          {judgement !== null && <Badge tone={tones[judgement.verdict]}>{judgement.verdict}</Badge>}
        </span>
      </h2>
      {judgement === null ? (
        <p className="muted">As soon as the contracts load and the call is complete.</p>
      ) : (
        <>
          {judgement.contracts.map((contract) => (
            <p key={contract.id}>
              <strong>{contract.id}</strong>{' '}
              {contract.matched ? (
                <Badge tone={contract.observed ? 'open' : 'bad'}>
                  {contract.observed ? 'would fire' : 'fired'}: {contract.effect}
                </Badge>
              ) : (
                <Badge tone="good">passed</Badge>
              )}{' '}
              <UntrustedText text={contract.message ?? ''} most={500} />
            </p>
          ))}
          <h3>Why: every condition and what it saw</h3>
          <section aria-label="Explanation">
            {judgement.explanations.map((contract) => (
              <div key={contract.contractId}>
                <strong>{contract.contractId}</strong>
                <ContractConditions contract={contract} />
              </div>
            ))}
          </section>
        </>
      )}
    </section>
  )
}

interface ReplayAnswer {
  readonly events_read: number
  readonly replayed: number
  readonly changed: number
  readonly groups: readonly {
    readonly tool: string
    readonly before: string
    readonly after: string
    readonly contract: string | null
    readonly count: number
    readonly examples: readonly { readonly tool_args: unknown; readonly agent_id: string }[]
  }[]
}

function Replay({ text }: { text: string }): ReactNode {
  const [answer, setAnswer] = useState<ReplayAnswer>()
  const replay = useAction(
    () =>
      request<ReplayAnswer>('/api/v1/bundles/replay', {
        method: 'POST',
        body: { yaml_content: text, limit: 1_000 },
      }),
    setAnswer,
  )
  return (
    <section aria-labelledby="replay">
      <h2 id="replay">What would change</h2>
      <p className="muted">
        Puts the calls of the newest 1,000 events to this draft. Nothing is stored and no agent is told.
      </p>
      <ActionButton isRunning={replay.isRunning} onClick={replay.run}>
        Replay
      </ActionButton>
      {replay.failure !== undefined && <Failure failure={replay.failure} />}
      <p role="status">
        {answer !== undefined &&
          (answer.replayed === 0
            ? 'There is no call on record to put to it. Let an agent report to this console, then try again.'
            : `${answer.changed} of ${answer.replayed} calls would be decided in another way.`)}
      </p>
      {answer !== undefined && answer.groups.length > 0 && (
        <Table label="What would change" headings={['Tool', 'Was', 'Would be', 'By', 'Calls', 'Example']}>
          {answer.groups.map((group) => (
            <tr key={`${group.tool}\n${group.before}\n${group.after}\n${group.contract}`}>
              <td>
                <UntrustedText text={group.tool} most={60} />
              </td>
              <td>{group.before}</td>
              <td>{group.after}</td>
              <td>
                <UntrustedText text={group.contract ?? 'no contract'} most={60} />
              </td>
              <td>{group.count}</td>
              <td>
                <UntrustedText text={JSON.stringify(group.examples[0]?.tool_args ?? {})} most={120} />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  )
}
