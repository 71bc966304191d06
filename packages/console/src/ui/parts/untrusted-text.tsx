import { type ReactNode, useState } from 'react'
import { cutText, splitDeceptive } from './visible-text.js'

const longestLine = 160
const firstPart = 4_000
const nextPart = 20_000

/** A name or a sentence from outside, in the flow of ours. */
export function UntrustedText({ text, most = longestLine }: { text: string; most?: number }): ReactNode {
  const shown = cutText(text, most)
  return (
    <bdi className="untrusted">
      <Pieces text={shown} />
      {shown.length < text.length ? '…' : ''}
    </bdi>
  )
}

/** All of a text from outside, a part at a time: the browser has to bear it. */
function UntrustedBlock({ text, label }: { text: string; label: string }): ReactNode {
  const [length, setLength] = useState(firstPart)
  const shown = cutText(text, length)
  const left = text.length - shown.length
  return (
    <div className="block">
      <pre tabIndex={0} role="region" aria-label={label} dir="ltr">
        <Pieces text={shown} />
      </pre>
      {left > 0 && (
        <button type="button" className="quiet" onClick={() => setLength(length + nextPart)}>
          Show {Math.min(left, nextPart).toLocaleString('en')} of {left.toLocaleString('en')} more characters
        </button>
      )}
    </div>
  )
}

/** Data from outside as it is, in JSON. */
export function UntrustedData({ value, label }: { value: unknown; label: string }): ReactNode {
  return <UntrustedBlock text={JSON.stringify(value, null, 2) ?? ''} label={label} />
}

function Pieces({ text }: { text: string }): ReactNode {
  return splitDeceptive(text).map((piece, index) =>
    piece.kind === 'text' ? (
      piece.text
    ) : (
      <span key={index} className="escape">
        {piece.text}
      </span>
    ),
  )
}
