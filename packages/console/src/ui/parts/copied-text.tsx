import { type ReactNode, useState } from 'react'

/** Something to take along to a terminal or an editor. */
export function CopiedText({ label, text }: { label: string; text: string }): ReactNode {
  const [isCopied, setCopied] = useState(false)
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => setCopied(false),
    )
  }
  return (
    <div className="block">
      <pre tabIndex={0} role="region" aria-label={label}>
        {text}
      </pre>
      <button type="button" className="quiet" onClick={copy}>
        {isCopied ? 'Copied' : 'Copy'}
      </button>
    </div>
  )
}
