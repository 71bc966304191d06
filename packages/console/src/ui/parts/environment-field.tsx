import type { ReactNode } from 'react'
import { Field } from './field.js'

/** The name of an environment, called `env` in its form. */
export function EnvironmentField({ hint }: { hint?: string }): ReactNode {
  return (
    <Field label="Environment" {...(hint === undefined ? {} : { hint })}>
      {(control) => (
        <input
          {...control}
          name="env"
          defaultValue="production"
          pattern="[A-Za-z0-9][A-Za-z0-9._\-]{0,127}"
          required
        />
      )}
    </Field>
  )
}
