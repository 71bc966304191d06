// Which bundle agents get without being told one by one.
import type { FormEvent, ReactNode } from 'react'
import { request } from '../../data/request.js'
import { useAction } from '../../data/use-action.js'
import { useResource } from '../../data/use-resource.js'
import { useMay } from '../../data/use-visitor.js'
import { Link } from '../../navigation/router.js'
import { ActionButton } from '../../parts/button.js'
import { ConfirmButton } from '../../parts/confirm.js'
import { EnvironmentField } from '../../parts/environment-field.js'
import { Field } from '../../parts/field.js'
import { readForm } from '../../parts/form-values.js'
import { Empty, Failure, Loaded } from '../../parts/states.js'
import { Table } from '../../parts/table.js'

interface Rule {
  readonly id: string
  readonly priority: number
  readonly pattern: string
  readonly tag_match: Readonly<Record<string, string>> | null
  readonly bundle_name: string
  readonly env: string
}

const rulesPath = '/api/v1/assignment-rules'

export function AssignmentRules(): ReactNode {
  const rules = useResource<readonly Rule[]>(rulesPath, ['agents'])
  const mayPublish = useMay('publish')
  return (
    <section aria-labelledby="rules">
      <h2 id="rules">Who gets which bundle</h2>
      <p className="muted">
        The rule with the lowest number that fits an agent decides. An agent no rule fits gets what it asks
        for.
      </p>
      <Loaded resource={rules} what="the rules">
        {(list) => (
          <>
            {list.length === 0 ? (
              <Empty title="There is no rule.">Every agent gets the bundle it asks for.</Empty>
            ) : (
              <Table
                label="Assignment rules"
                headings={['Number', 'Agents', 'Tags', 'Environment', 'Bundle', 'Action']}
              >
                {list.map((rule) => (
                  <RuleRow key={rule.id} rule={rule} mayRemove={mayPublish} />
                ))}
              </Table>
            )}
            {mayPublish && <NewRule next={Math.max(0, ...list.map(({ priority }) => priority)) + 10} />}
          </>
        )}
      </Loaded>
    </section>
  )
}

function RuleRow({ rule, mayRemove }: { rule: Rule; mayRemove: boolean }): ReactNode {
  const remove = useAction<void, unknown>(() => request(`${rulesPath}/${rule.id}`, { method: 'DELETE' }))
  return (
    <tr>
      <td>{rule.priority}</td>
      <td>
        <code>{rule.pattern}</code>
      </td>
      <td>
        {Object.entries(rule.tag_match ?? {})
          .map(([name, value]) => `${name}=${value}`)
          .join(', ') || 'any'}
      </td>
      <td>{rule.env}</td>
      <td>
        <Link to={`/contracts/${encodeURIComponent(rule.bundle_name)}`}>{rule.bundle_name}</Link>
      </td>
      <td>
        {mayRemove && (
          <ConfirmButton
            label="Remove"
            title={`Remove rule ${rule.priority}`}
            consequence="Agents it fits get what the next rule says, or what they ask for. Connected ones switch at once."
            action={remove}
          />
        )}
      </td>
    </tr>
  )
}

function NewRule({ next }: { next: number }): ReactNode {
  const add = useAction((body: object) => request(rulesPath, { method: 'POST', body }))
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const valueOf = readForm(event.currentTarget)
    add.run({
      priority: Number(valueOf('priority')),
      pattern: valueOf('pattern'),
      env: valueOf('env'),
      bundle_name: valueOf('bundle'),
    })
  }
  return (
    <details>
      <summary>Add a rule</summary>
      {/* The next number is another one after each rule. */}
      <form key={next} onSubmit={submit} className="narrow">
        <Field label="Number" hint="Lower ones are asked first.">
          {(control) => (
            <input
              {...control}
              name="priority"
              type="number"
              min={0}
              max={1_000_000_000}
              defaultValue={next}
              required
            />
          )}
        </Field>
        <Field label="Agents" hint="A name or a pattern such as billing-*.">
          {(control) => <input {...control} name="pattern" maxLength={200} required />}
        </Field>
        <EnvironmentField />
        <Field label="Bundle" hint="Its name, as under Contracts.">
          {(control) => (
            <input {...control} name="bundle" pattern="[A-Za-z0-9][A-Za-z0-9._\-]{0,127}" required />
          )}
        </Field>
        {add.failure !== undefined && <Failure failure={add.failure} />}
        <ActionButton type="submit" className="primary" isRunning={add.isRunning}>
          Add the rule
        </ActionButton>
      </form>
    </details>
  )
}
