// Writing contracts: checked by the same checker the agents use, a moment after each keystroke.
import { type ReactNode, useState } from 'react'
import type { Calibration } from '../../../protocol/calibration.js'
import { request } from '../../data/request.js'
import { useAction } from '../../data/use-action.js'
import { useBundleCheck } from '../../data/use-bundle-check.js'
import { useBundleText } from '../../data/use-bundle-text.js'
import { useResource } from '../../data/use-resource.js'
import { useMay } from '../../data/use-visitor.js'
import { Link, navigate, usePlace } from '../../navigation/router.js'
import { ActionButton } from '../../parts/button.js'
import { CheckProgress } from '../../parts/check-progress.js'
import { Page } from '../../parts/page.js'
import { Failure, Loaded } from '../../parts/states.js'
import { YamlEditor } from '../../parts/yaml-editor.js'
import { calibrationQuery } from '../calibrate/calibration-query.js'

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
  const { query } = usePlace()
  return (
    <Page title="New bundle">
      {query.get('draft') === 'calibrated' ? (
        <CalibratedDraft path={calibrationQuery(query).path} />
      ) : (
        <Draft initial={firstDraft} />
      )}
    </Page>
  )
}

function CalibratedDraft({ path }: { path: string }): ReactNode {
  const calibration = useResource<Calibration>(path)
  return (
    <Loaded resource={calibration} what="the limits">
      {({ draft, sessions }) => (
        <>
          <p>
            Limits above what {sessions.toLocaleString('en')} sessions did.{' '}
            <Link to="/calibrate">Back to the numbers</Link>
          </p>
          {/* What is being written stays when the numbers change. */}
          <Draft initial={draft ?? firstDraft} />
        </>
      )}
    </Loaded>
  )
}

export function EditBundlePage({ name, version }: { name: string; version: string }): ReactNode {
  const text = useBundleText(name, version)
  return (
    <Page title={`Edit ${name}`}>
      <p>
        From version {version}. <Link to={`/contracts/${encodeURIComponent(name)}`}>Back to the bundle</Link>
      </p>
      <Loaded resource={text} what="the text">
        {(initial) => <Draft initial={initial} />}
      </Loaded>
    </Page>
  )
}

function Draft({ initial }: { initial: string }): ReactNode {
  const [text, setText] = useState(initial)
  const mayPublish = useMay('publish')
  const check = useBundleCheck(text)
  const { findings } = check
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
      <CheckProgress check={check} />
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
