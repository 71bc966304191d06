// One bundle: its versions, what is in force where, and how far a deployment has come.
import { type FormEvent, type ReactNode, useState } from 'react'
import { request, withQuery } from '../../data/request.js'
import { useAction } from '../../data/use-action.js'
import { useResource } from '../../data/use-resource.js'
import { useMay } from '../../data/use-visitor.js'
import { Link } from '../../navigation/router.js'
import { Badge, type Tone } from '../../parts/badge.js'
import { ActionButton } from '../../parts/button.js'
import { ConfirmButton } from '../../parts/confirm.js'
import { Dialog } from '../../parts/dialog.js'
import { EnvironmentField } from '../../parts/environment-field.js'
import { readForm } from '../../parts/form-values.js'
import { Ago, Moment } from '../../parts/moment.js'
import { Page } from '../../parts/page.js'
import { Failure, Loaded } from '../../parts/states.js'
import { Table } from '../../parts/table.js'
import { UntrustedText } from '../../parts/untrusted-text.js'

interface Version {
  readonly version: number
  readonly revision_hash: string
  readonly uploaded_by: string
  readonly created_at: string
  readonly deployed_envs: readonly string[]
}

interface Rollout {
  readonly version: number
  readonly deployed_at: string
  readonly summary: {
    readonly total: number
    readonly applied: number
    readonly rejected: number
    readonly pending: number
  }
  readonly agents: readonly {
    readonly agent_id: string
    readonly status: 'applied' | 'rejected' | 'pending'
    readonly reason: string | null
    readonly last_seen_at: string
  }[]
}

export function BundlePage({ name }: { name: string }): ReactNode {
  const path = `/api/v1/bundles/${encodeURIComponent(name)}`
  const versions = useResource<readonly Version[]>(path, ['bundles'])
  const mayPublish = useMay('publish')
  const here = `/contracts/${encodeURIComponent(name)}`
  return (
    <Page title={name} actions={<Link to="/contracts">All contracts</Link>}>
      <Loaded resource={versions} what="the versions">
        {(list) => (
          <>
            {[...new Set(list.flatMap(({ deployed_envs: envs }) => envs))].map((env) => (
              <InForce key={env} path={path} env={env} mayPublish={mayPublish} />
            ))}
            <h2>Versions</h2>
            <Table label="Versions" headings={['Version', 'Saved', 'By', 'In force in', 'Actions']}>
              {list.map((version, index) => (
                <tr key={version.version}>
                  <td>
                    {version.version} <code className="muted">{version.revision_hash.slice(0, 12)}</code>
                  </td>
                  <td>
                    <Moment at={version.created_at} />
                  </td>
                  <td>
                    <UntrustedText text={version.uploaded_by} most={60} />
                  </td>
                  <td>{version.deployed_envs.join(', ')}</td>
                  <td>
                    <div className="buttons">
                      <Link to={`${here}/edit/${version.version}`}>{mayPublish ? 'Edit' : 'Read'}</Link>
                      {list[index + 1] !== undefined && (
                        <Link to={`${here}/diff/${list[index + 1]?.version}/${version.version}`}>
                          What changed
                        </Link>
                      )}
                      {mayPublish && <DeployButton path={path} version={version.version} />}
                    </div>
                  </td>
                </tr>
              ))}
            </Table>
          </>
        )}
      </Loaded>
    </Page>
  )
}

function DeployButton({ path, version }: { path: string; version: number }): ReactNode {
  const [isOpen, setOpen] = useState(false)
  const deploy = useAction(
    (env: string) => request(`${path}/${version}/deploy`, { method: 'POST', body: { env } }),
    () => setOpen(false),
  )
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    deploy.run(readForm(event.currentTarget)('env'))
  }
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Deploy
      </button>
      {isOpen && (
        <Dialog title={`Deploy version ${version}`} onClose={() => setOpen(false)}>
          <form onSubmit={submit}>
            <EnvironmentField hint="Every connected agent of this environment that runs this bundle switches at once; the others when they come back." />
            {deploy.failure !== undefined && <Failure failure={deploy.failure} />}
            <div className="buttons">
              <ActionButton type="submit" className="primary" isRunning={deploy.isRunning}>
                Deploy version {version}
              </ActionButton>
              <button type="button" onClick={() => setOpen(false)}>
                Cancel
              </button>
            </div>
          </form>
        </Dialog>
      )}
    </>
  )
}

const tones: Record<Rollout['agents'][number]['status'], Tone> = {
  applied: 'good',
  rejected: 'bad',
  pending: 'open',
}

function InForce({ path, env, mayPublish }: { path: string; env: string; mayPublish: boolean }): ReactNode {
  const rollout = useResource<Rollout>(withQuery(`${path}/rollout`, { env }), ['bundles', 'agents'])
  const rollback = useAction<void, unknown>(() =>
    request(`${path}/rollback`, { method: 'POST', body: { env } }),
  )
  return (
    <section className="card" aria-label={`In force in ${env}`}>
      <h2>In force in {env}</h2>
      <Loaded resource={rollout} what="the rollout">
        {({ version, deployed_at: at, summary, agents }) => (
          <>
            <p>
              Version {version}, deployed <Ago at={at} />. Agents that run it: {summary.applied}, that refused
              it: {summary.rejected}, that have not said: {summary.pending}.
            </p>
            {agents.length > 0 && (
              <Table label={`Agents in ${env}`} headings={['Agent', 'State', 'Why', 'Heard of']}>
                {agents.map((agent) => (
                  <tr key={agent.agent_id}>
                    <td>
                      <UntrustedText text={agent.agent_id} most={60} />
                    </td>
                    <td>
                      <Badge tone={tones[agent.status]}>{agent.status}</Badge>
                    </td>
                    <td>
                      <UntrustedText text={agent.reason ?? ''} most={300} />
                    </td>
                    <td>
                      <Ago at={agent.last_seen_at} />
                    </td>
                  </tr>
                ))}
              </Table>
            )}
            {mayPublish && (
              <ConfirmButton
                label="Roll back"
                title={`Roll back in ${env}`}
                consequence={`The version that was in force before version ${version} is deployed again in ${env}. Agents switch at once. Version ${version} stays and can be deployed again.`}
                action={rollback}
              />
            )}
          </>
        )}
      </Loaded>
    </section>
  )
}
