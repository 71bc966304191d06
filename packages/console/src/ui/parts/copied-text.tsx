import type { ReactNode } from 'react'
import { CopyButton } from './copy-button.js'

/** Something to take along to a terminal or an editor. */
export function CopiedText({ label, text }: { label: string; text: string }): ReactNode {
  return (
    <div className="block">
      <pre tabIndex={0} role="region" aria-label={label}>
        {text}
      </pre>
      <CopyButton className="quiet" text={text} />
    </div>
  )
}
