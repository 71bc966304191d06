import { type CSSProperties, type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react'
import type { BundleFault } from '../../protocol/bundle-check.js'
import { useResource } from '../data/use-resource.js'
import { UntrustedText } from './untrusted-text.js'
import { completeYaml, type Completion, type Schema } from './yaml-completion.js'

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
  const schema = useResource<Schema>('/api/edictum/v1/bundles/schema').value
  const list = useId()
  const [asking, setAsking] = useState<Asking>()
  const offer = schema === undefined || asking === undefined ? undefined : answer(schema, text, asking)
  const look = (asked: HTMLTextAreaElement, why: Asking['why']): void =>
    setAsking({
      position: asked.selectionStart,
      why,
      active: why === 'asked' ? 0 : -1,
      lineHeight: Number.parseFloat(getComputedStyle(asked).lineHeight),
      top: asked.offsetTop - asked.scrollTop,
      left: asked.offsetLeft - asked.scrollLeft,
    })
  const accept = (area: HTMLTextAreaElement, word: string): void => {
    if (offer === undefined) return
    onChange(text.slice(0, offer.from) + word + text.slice(offer.position))
    setAsking(undefined)
    moveCursor(area, offer.from + word.length)
  }
  const press = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    const area = event.currentTarget
    if (event.key === ' ' && event.ctrlKey) {
      event.preventDefault()
      look(area, 'asked')
    } else if (offer !== undefined && event.key === 'Escape') {
      event.preventDefault()
      setAsking(undefined)
    } else if (
      asking !== undefined &&
      offer !== undefined &&
      (event.key === 'ArrowDown' || event.key === 'ArrowUp')
    ) {
      event.preventDefault()
      const step = event.key === 'ArrowDown' ? 1 : -1
      const { length } = offer.words
      setAsking({ ...asking, active: (Math.max(offer.active, step < 0 ? 0 : -1) + step + length) % length })
    } else if (offer?.words[offer.active] !== undefined && event.key === 'Enter') {
      event.preventDefault()
      accept(area, offer.words[offer.active] ?? '')
    } else {
      if (event.key === 'Enter' || event.key.startsWith('Arrow')) setAsking(undefined)
      indent(event, onChange)
    }
  }
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
          aria-autocomplete="list"
          aria-controls={offer === undefined ? undefined : list}
          aria-activedescendant={
            offer !== undefined && offer.active >= 0 ? `${list}-${offer.active}` : undefined
          }
          onChange={({ target }) => {
            onChange(target.value)
            look(target, 'typing')
          }}
          onKeyDown={press}
          onBlur={() => setAsking(undefined)}
          onScroll={({ currentTarget }) => {
            setAsking(undefined)
            if (gutter.current !== null) gutter.current.scrollTop = currentTarget.scrollTop
          }}
        />
        {offer !== undefined && (
          <div
            className="offer"
            id={list}
            role="listbox"
            aria-label="What may be written here"
            style={placeBelow(text, offer)}
            tabIndex={-1}
          >
            {offer.words.map((word, index) => (
              <div
                key={word}
                id={`${list}-${index}`}
                role="option"
                tabIndex={-1}
                aria-selected={index === offer.active}
                // Before the text loses the focus.
                onMouseDown={(event) => {
                  event.preventDefault()
                  if (area.current !== null) accept(area.current, word)
                }}
              >
                {word}
              </div>
            ))}
          </div>
        )}
      </div>
      <p className="hint">
        <kbd>Ctrl</kbd> <kbd>Space</kbd> says what may be written here.
      </p>
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

/** Where somebody is writing, and whether they asked what may stand there. */
interface Asking {
  readonly position: number
  readonly why: 'typing' | 'asked'
  /** The word that is chosen; -1 while Enter still begins a new line. */
  readonly active: number
  readonly lineHeight: number
  /** Of the first line of the text, as far as it is scrolled. */
  readonly top: number
  readonly left: number
}

function answer(schema: Schema, text: string, asking: Asking): (Completion & Asking) | undefined {
  const found = completeYaml(schema, text, asking.position)
  if (found === undefined) return undefined
  // Nobody asked while there is not even the beginning of a word.
  return asking.why === 'asked' || found.from < asking.position ? { ...found, ...asking } : undefined
}

function placeBelow(text: string, { from, lineHeight, top, left }: Completion & Asking): CSSProperties {
  const before = text.slice(0, from).split('\n')
  return {
    top: `${top + before.length * lineHeight + 8}px`,
    left: `min(calc(${left + 8}px + ${before.at(-1)?.length ?? 0}ch), calc(100% - 12rem))`,
  }
}

function moveCursor(area: HTMLTextAreaElement, position: number): void {
  requestAnimationFrame(() => area.setSelectionRange(position, position))
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
  moveCursor(area, position)
}
