import { type ReactNode, useState } from 'react'

/** A secret that cannot be had again. */
export function ShownOnce({ label, secret }: { label: string; secret: string }): ReactNode {
  const [isCopied, setCopied] = useState(false)
  const copy = (): void => {
    navigator.clipboard.writeText(secret).then(
      () => setCopied(true),
      () => setCopied(false),
    )
  }
  return (
    <div className="card secret" role="status">
      <p>
        <strong>{label}</strong> It is not shown again.
      </p>
      <div className="buttons">
        <code>{secret}</code>
        <button type="button" onClick={copy}>
          {isCopied ? 'Copied' : 'Copy'}
        </button>
      </div>
    </div>
  )
}
