// A form made ready to run at a place of a text.
import type { DetectorName } from '../../../contracts/detectors.js'
import type { AnchoredForm, BoundedForm, Span, Verify } from './detector.js'

interface Compiled<Form> {
  readonly detector: DetectorName
  readonly form: Form
}

export interface CompiledAnchored extends Compiled<AnchoredForm> {
  readonly kind: 'anchored'
  /** Whether there is a find at this beginning; undefined when not even the patterns match. */
  readonly attempt: (text: string, start: number, beginning: string) => Attempt | undefined
}

export interface Attempt {
  readonly found: Span | undefined
  /** Where the search for this form goes on. */
  readonly resume: number
}

export interface CompiledBounded extends Compiled<BoundedForm> {
  readonly kind: 'bounded'
  readonly search: RegExp
  readonly verify: Verify
}

export type CompiledForm = CompiledAnchored | CompiledBounded

const acceptAll: Verify = (_text, match) => match

export function compileForm(detector: DetectorName, form: AnchoredForm | BoundedForm): CompiledForm {
  const verify = form.verify ?? acceptAll
  return form.kind === 'bounded'
    ? { kind: 'bounded', detector, form, search: new RegExp(form.find, 'g'), verify }
    : { kind: 'anchored', detector, form, attempt: compileAttempt(form, verify) }
}

function compileAttempt(form: AnchoredForm, verify: Verify): CompiledAnchored['attempt'] {
  const before = form.notAfter === undefined ? undefined : new RegExp(`[${form.notAfter}]`)
  const lead = form.lead === undefined ? undefined : new RegExp(form.lead, 'y')
  const find = new RegExp(form.find, 'y')
  return (text, start, beginning) => {
    if (before !== undefined && start > 0 && before.test(text.charAt(start - 1))) return undefined
    let from = start + beginning.length
    if (lead !== undefined) {
      lead.lastIndex = from
      if (!lead.test(text)) return undefined
      from = lead.lastIndex
    }
    find.lastIndex = from
    if (!find.test(text)) return undefined
    const match = { start: lead === undefined ? start : from, end: find.lastIndex }
    const found = verify(text, match)
    // What was read once is not read again for another beginning inside it, or a long run would be for every one.
    return { found, resume: Math.max(start + 1, found?.end ?? match.end) }
  }
}
