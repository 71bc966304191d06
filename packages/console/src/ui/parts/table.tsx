import type { ReactNode } from 'react'

/** Rows below headings; wider than the window it scrolls by itself. */
export function Table({
  label,
  headings,
  children,
}: {
  label: string
  headings: readonly string[]
  children: ReactNode
}): ReactNode {
  return (
    <div className="scroll" tabIndex={0} role="group" aria-label={`${label}; scrolls sideways`}>
      <table aria-label={label}>
        <thead>
          <tr>
            {headings.map((heading) => (
              <th key={heading} scope="col">
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}
