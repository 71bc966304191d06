import { type KeyboardEvent, type ReactNode, useRef } from 'react'
import type { BundleFault } from '../../protocol/bundle-check.js'
import { UntrustedText } from './untrusted-text.js'

/** A text of contracts, with what is wrong with it: each fault leads to its line. */
export function YamlEditor({
  label,
  text,
  faults,
  onChange,
}: {
  label: string
  text: string
  faults: readonly BundleFault[]
  onChange: (text: string) => void
}): ReactNode {
  const area = useRef<HTMLTextAreaElement>(null)
  const gutter = useRef<HTMLDivElement>(null)
  const lines = text.split('\n')
  const faulty = new Set(faults.map(({ line }) => line))
  const goTo = ({ line, column }: BundleFault): void => {
    const before = lines.slice(0, (line ?? 1) - 1).reduce((sum, each) => sum + each.length + 1, 0)
    const position = before + Math.max(0, (column ?? 1) - 1)
    area.current?.focus()
    area.current?.setSelectionRange(position, position)
  }
  return (
    <div className="editor">
      <div className="editor-text">
        <div className="gutter" ref={gutter} aria-hidden="true">
          {lines.map((_line, index) => (
            <div key={`line ${index}`} data-faulty={faulty.has(index + 1)}>
              {index + 1}
            </div>
          ))}
        </div>
        <textarea
          ref={area}
          aria-label={label}
          aria-invalid={faults.length > 0}
          value={text}
          rows={24}
          wrap="off"
          spellCheck={false}
          onChange={({ target }) => onChange(target.value)}
          onKeyDown={(event) => indent(event, onChange)}
          onScroll={({ currentTarget }) => {
            if (gutter.current !== null) gutter.current.scrollTop = currentTarget.scrollTop
          }}
        />
      </div>
      <div role="status">
        {faults.length > 0 && (
          <ul className="faults">
            {faults.slice(0, 50).map((fault, index) => (
              <li key={`${index} ${fault.message}`}>
                <button type="button" className="quiet" onClick={() => goTo(fault)}>
                  {fault.line === null ? 'whole text' : `line ${fault.line}`}
                </button>{' '}
                <UntrustedText text={fault.message} most={500} />
                {fault.hint !== null && (
                  <span className="muted">
                    {' '}
                    <UntrustedText text={fault.hint} most={500} />
                  </span>
                )}
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  )
}

/** Enter keeps the indentation. Tab is left alone, so that the keyboard gets out again. */
function indent(event: KeyboardEvent<HTMLTextAreaElement>, onChange: (text: string) => void): void {
  if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) return
  const { value, selectionStart, selectionEnd } = event.currentTarget
  const line = value.slice(value.lastIndexOf('\n', selectionStart - 1) + 1, selectionStart)
  const spaces = /^ */.exec(line)?.[0] ?? ''
  if (spaces === '') return
  event.preventDefault()
  const area = event.currentTarget
  const position = selectionStart + 1 + spaces.length
  onChange(`${value.slice(0, selectionStart)}\n${spaces}${value.slice(selectionEnd)}`)
  requestAnimationFrame(() => area.setSelectionRange(position, position))
}
