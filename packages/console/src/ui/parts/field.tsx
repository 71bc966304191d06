import { type ReactNode, useId } from 'react'

export interface ControlProps {
  readonly id: string
  readonly 'aria-describedby'?: string
}

/** A control with its label, and what to know about it. */
export function Field({
  label,
  hint,
  children,
}: {
  label: string
  hint?: string
  children: (control: ControlProps) => ReactNode
}): ReactNode {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children(hint === undefined ? { id } : { id, 'aria-describedby': `${id}-hint` })}
      {hint !== undefined && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}
