import type { ReactNode } from 'react'
import type { DecisionFacets } from '../../../protocol/decisions.js'
import { useResource } from '../../data/use-resource.js'
import { Field } from '../../parts/field.js'

/** One of the environments agents have reported from, or all of them. */
export function EnvironmentChoice({
  value,
  onChange,
}: {
  value: string
  onChange: (env: string) => void
}): ReactNode {
  const known = useResource<DecisionFacets>('/api/edictum/v1/decisions/facets').value?.environments ?? []
  // An address may name one that nothing was heard of lately; it is what is shown all the same.
  const names = new Set([...known.map((facet) => facet.value), ...(value === '' ? [] : [value])])
  return (
    <Field label="Environment">
      {(control) => (
        <select {...control} value={value} onChange={({ target }) => onChange(target.value)}>
          <option value="">All</option>
          {[...names].toSorted().map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}
