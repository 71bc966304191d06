import type { CSSProperties, ReactNode } from 'react'

/**
 * Rows below headings; wider than the window it scrolls by itself. On a phone every row is a card: `fields` with the heading
 * before each value, `lines` run together, for rows that explain themselves.
 */
export function Table({
  label,
  headings,
  onPhone = 'fields',
  children,
}: {
  label: string
  headings: readonly string[]
  onPhone?: 'fields' | 'lines'
  children: ReactNode
}): ReactNode {
  // The styles put the heading of its column before each cell.
  const names = headings.map((heading, index) => [`--heading-${index + 1}`, JSON.stringify(heading)] as const)
  return (
    <div className="scroll" tabIndex={0} role="group" aria-label={`${label}; scrolls sideways`}>
      <table aria-label={label} className={onPhone} style={Object.fromEntries(names) as CSSProperties}>
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
