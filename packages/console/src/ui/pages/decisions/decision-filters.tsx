import { type FormEvent, type ReactNode, useId } from 'react'
import type { DecisionFacets, FacetCount } from '../../../protocol/decisions.js'
import { useResource } from '../../data/use-resource.js'
import { Field } from '../../parts/field.js'
import { readForm } from '../../parts/form-values.js'
import { actionName, knownActions } from './action-words.js'

/** As the server and the address of the page call them. */
export const filterNames = [
  'since',
  'until',
  'action',
  'tool_name',
  'contract',
  'agent_id',
  'session_id',
  'principal',
  'mode',
  'env',
  'text',
] as const

const periods = [
  ['15m', 'Last 15 minutes'],
  ['1h', 'Last hour'],
  ['24h', 'Last 24 hours'],
  ['7d', 'Last 7 days'],
] as const

export function DecisionFilters({
  query,
  onChange,
}: {
  query: URLSearchParams
  onChange: (changes: Record<string, string>) => void
}): ReactNode {
  const facets = useResource<DecisionFacets>('/api/edictum/v1/decisions/facets').value
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const valueOf = readForm(event.currentTarget)
    onChange(Object.fromEntries(filterNames.map((name) => [name, valueOf(name).trim()])))
  }
  const value = (name: string): string => query.get(name) ?? ''
  const active = filterNames.filter((name) => value(name) !== '').length
  return (
    // What is typed stays until it is sent; what comes from elsewhere (the address, a link) makes the form anew.
    <form key={query.toString()} onSubmit={submit} className="filters" aria-label="Filter">
      <div className="filter-row">
        <Field label="Search">
          {(control) => <input {...control} type="search" name="text" defaultValue={value('text')} />}
        </Field>
        <Field label="Time">
          {(control) => (
            <select {...control} name="since" defaultValue={value('since')}>
              <option value="">Any time</option>
              {periods.map(([period, name]) => (
                <option key={period} value={period}>
                  {name}
                </option>
              ))}
              {value('since') !== '' && !periods.some(([period]) => period === value('since')) && (
                <option value={value('since')}>From {value('since')}</option>
              )}
            </select>
          )}
        </Field>
        <Field label="What">
          {(control) => (
            <select {...control} name="action" defaultValue={value('action')}>
              <option value="">Everything</option>
              {knownActions.map((action) => (
                <option key={action} value={action}>
                  {actionName(action)}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Suggested label="Tool" name="tool_name" value={value('tool_name')} facet={facets?.tools} />
        <Suggested label="Contract" name="contract" value={value('contract')} facet={facets?.contracts} />
      </div>
      <details
        open={['agent_id', 'session_id', 'principal', 'mode', 'env', 'until'].some(
          (name) => value(name) !== '',
        )}
      >
        <summary>More filters</summary>
        <div className="filter-row">
          <Suggested label="Agent" name="agent_id" value={value('agent_id')} facet={facets?.agents} />
          <Suggested label="Environment" name="env" value={value('env')} facet={facets?.environments} />
          <Suggested label="Session" name="session_id" value={value('session_id')} />
          <Suggested label="Principal" name="principal" value={value('principal')} />
          <Field label="Mode">
            {(control) => (
              <select {...control} name="mode" defaultValue={value('mode')}>
                <option value="">Any</option>
                <option value="enforce">enforce</option>
                <option value="observe">observe</option>
              </select>
            )}
          </Field>
          <Field label="Until" hint="A time, or how long ago: 6h">
            {(control) => <input {...control} name="until" defaultValue={value('until')} />}
          </Field>
        </div>
      </details>
      <div className="buttons">
        <button type="submit" className="primary">
          Filter
        </button>
        {active > 0 && (
          <button
            type="button"
            onClick={() => onChange(Object.fromEntries(filterNames.map((name) => [name, ''])))}
          >
            Show everything
          </button>
        )}
      </div>
    </form>
  )
}

function Suggested({
  label,
  name,
  value,
  facet = [],
}: {
  label: string
  name: string
  value: string
  facet?: readonly Pick<FacetCount, 'value'>[] | undefined
}): ReactNode {
  const list = useId()
  return (
    <Field label={label}>
      {(control) => (
        <>
          <input {...control} name={name} defaultValue={value} list={list} autoComplete="off" />
          <datalist id={list}>
            {facet.map((entry) => (
              <option key={entry.value} value={entry.value} aria-label={entry.value} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  )
}
