import { EdictumError } from '../../internal/edictum-error.js'

/** Events after the mark are no longer all there: they were pushed out by newer ones, or cleared. */
export class MarkEvictedError extends EdictumError {
  override readonly name = 'MarkEvictedError'
  readonly mark: number
  /** The earliest mark that can still be asked for. */
  readonly oldestMark: number

  constructor(mark: number, oldestMark: number) {
    super(`events after mark ${mark} are gone; the oldest mark that is complete is ${oldestMark}`)
    this.mark = mark
    this.oldestMark = oldestMark
  }
}
