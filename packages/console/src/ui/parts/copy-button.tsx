import { type ButtonHTMLAttributes, type ReactNode, useState } from 'react'

/** Puts a text where it can be pasted from, and says that it did. */
export function CopyButton({
  text,
  ...rest
}: { readonly text: string } & ButtonHTMLAttributes<HTMLButtonElement>): ReactNode {
  const [isCopied, setCopied] = useState(false)
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => setCopied(false),
    )
  }
  return (
    <button type="button" {...rest} onClick={copy}>
      {isCopied ? 'Copied' : 'Copy'}
    </button>
  )
}
