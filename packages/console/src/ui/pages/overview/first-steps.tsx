// What stands between a new console and the first decision on record. Each step says by itself when it is done.
import { type ReactNode, useState } from 'react'
import { request } from '../../data/request.js'
import { useAction } from '../../data/use-action.js'
import { useResource } from '../../data/use-resource.js'
import { useMay, useUser } from '../../data/use-visitor.js'
import { Link } from '../../navigation/router.js'
import { Badge } from '../../parts/badge.js'
import { ActionButton } from '../../parts/button.js'
import { CopiedText } from '../../parts/copied-text.js'
import { ShownOnce } from '../../parts/shown-once.js'
import { Empty, Failure } from '../../parts/states.js'
import { PasswordForm } from '../account/account-page.js'

interface Bundle {
  readonly name: string
  readonly deployed_versions: Readonly<Record<string, number>>
}

export function FirstSteps(): ReactNode {
  const mayAdminister = useMay('administer')
  return (
    <>
      <Empty title="No agent has reported anything yet.">
        {mayAdminister
          ? 'These steps lead to the first decision on record.'
          : 'An administrator can make an API key under Keys. What agents do with it appears here.'}
      </Empty>
      {mayAdminister && <Steps />}
    </>
  )
}

function Steps(): ReactNode {
  const { has_password: hasPassword } = useUser()
  const bundles = useResource<readonly Bundle[]>('/api/v1/bundles', ['bundles']).value ?? []
  const inForce = bundles.find(({ deployed_versions: versions }) => Object.keys(versions).length > 0)
  const env = Object.keys(inForce?.deployed_versions ?? {})[0] ?? 'production'
  const [key, setKey] = useState<string>()
  const make = useAction<void, { key: string }>(
    () =>
      request('/api/v1/keys', {
        method: 'POST',
        body: { env, label: 'first agent', scopes: ['agent'] },
      }),
    (made) => setKey(made.key),
  )
  return (
    <ol className="steps" aria-label="First steps">
      <Step title="Set a password" isDone={hasPassword}>
        {hasPassword ? (
          <p>
            Change it under <Link to="/account">your account</Link>.
          </p>
        ) : (
          <>
            <p>You came in by a link that opens once. With a password you come back.</p>
            <PasswordForm hasPassword={false} />
          </>
        )}
      </Step>
      <Step title="Put contracts into force" isDone={inForce !== undefined}>
        {inForce !== undefined ? (
          <p>
            <Link to={`/contracts/${encodeURIComponent(inForce.name)}`}>{inForce.name}</Link> is in force in{' '}
            {env}.
          </p>
        ) : bundles[0] === undefined ? (
          <p>
            <Link to="/contracts-new">Write the first bundle</Link> and save it, then deploy it.
          </p>
        ) : (
          <p>
            Deploy <Link to={`/contracts/${encodeURIComponent(bundles[0].name)}`}>{bundles[0].name}</Link>:
            nothing is in force before that.
          </p>
        )}
      </Step>
      <Step title="Make a key for an agent" isDone={key !== undefined}>
        {key === undefined ? (
          <>
            <p>It lets agents of the environment {env} reach this console, and nothing else.</p>
            {make.failure !== undefined && <Failure failure={make.failure} />}
            <ActionButton isRunning={make.isRunning} onClick={() => make.run()}>
              Make a key
            </ActionButton>
          </>
        ) : (
          <ShownOnce label="The key of the agent." secret={key} />
        )}
      </Step>
      <Step title="Connect an agent" isDone={false}>
        <p>
          Give it the key as <code>EDICTUM_API_KEY</code>, and run:
        </p>
        <CopiedText
          label="Program that connects an agent"
          text={writeProgram(inForce?.name ?? 'my-contracts')}
        />
      </Step>
      <Step title="See the first decision" isDone={false}>
        <p>This page changes by itself as soon as it arrives.</p>
      </Step>
    </ol>
  )
}

function Step({
  title,
  isDone,
  children,
}: {
  title: string
  isDone: boolean
  children: ReactNode
}): ReactNode {
  return (
    <li className="card">
      <h2>
        {title} {isDone && <Badge tone="good">done</Badge>}
      </h2>
      {children}
    </li>
  )
}

function writeProgram(bundleName: string): string {
  return `import { Edictum } from 'edictum'

const guard = await Edictum.fromServer({
  url: '${window.location.origin}',
  apiKey: process.env.EDICTUM_API_KEY ?? '',
  agentId: 'first-agent',
  bundleName: '${bundleName}',
})

console.log(await guard.run('read_file', { path: 'README.md' }, async () => 'hello'))
await guard.close()
`
}
