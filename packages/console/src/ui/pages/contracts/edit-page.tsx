// Writing contracts: checked by the same checker the agents use, a moment after each keystroke.
import { type ReactNode, useState } from 'react'
import { request } from '../../data/request.js'
import { useAction } from '../../data/use-action.js'
import { useBundleCheck } from '../../data/use-bundle-check.js'
import { useBundleText } from '../../data/use-bundle-text.js'
import { useMay } from '../../data/use-visitor.js'
import { Link, navigate } from '../../navigation/router.js'
import { ActionButton } from '../../parts/button.js'
import { Page } from '../../parts/page.js'
import { Failure } from '../../parts/states.js'
import { YamlEditor } from '../../parts/yaml-editor.js'

const firstDraft = `apiVersion: edictum/v1
kind: ContractBundle
metadata: { name: my-contracts }
defaults: { mode: enforce }
contracts:
  - id: no-secrets
    type: pre
    tool: read_file
    when: { args.path: { contains: ".env" } }
    then: { effect: deny, message: "Read of sensitive file denied: {args.path}" }
`

export function NewBundlePage(): ReactNode {
  return (
    <Page title="New bundle">
      <Draft initial={firstDraft} />
    </Page>
  )
}

export function EditBundlePage({ name, version }: { name: string; version: string }): ReactNode {
  const text = useBundleText(name, version)
  return (
    <Page title={`Edit ${name}`}>
      <p>
        From version {version}. <Link to={`/contracts/${encodeURIComponent(name)}`}>Back to the bundle</Link>
      </p>
      {text !== undefined && <Draft initial={text} />}
    </Page>
  )
}

function Draft({ initial }: { initial: string }): ReactNode {
  const [text, setText] = useState(initial)
  const mayPublish = useMay('publish')
  const findings = useBundleCheck(text)
  const upload = useAction(
    () => request<{ name: string }>('/api/v1/bundles', { method: 'POST', body: { yaml_content: text } }),
    ({ name }) => navigate(`/contracts/${encodeURIComponent(name)}`),
  )
  return (
    <>
      <YamlEditor
        label="Contracts in YAML"
        text={text}
        faults={findings?.ok === false ? findings.faults : []}
        onChange={setText}
      />
      <p role="status">
        {findings?.ok === true &&
          `The bundle ${findings.name} loads: ${findings.contracts.length} contracts.`}
      </p>
      {upload.failure !== undefined && <Failure failure={upload.failure} />}
      {mayPublish && (
        <div className="buttons">
          <ActionButton className="primary" isRunning={upload.isRunning} onClick={upload.run}>
            Save as a new version
          </ActionButton>
          <span className="muted">Nothing is in force before it is deployed.</span>
        </div>
      )}
    </>
  )
}
