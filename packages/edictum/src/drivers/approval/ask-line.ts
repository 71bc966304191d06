// Puts one question on a terminal and reads one line. Leaves no listener behind and takes no more input than its line.
import type { Readable, Writable } from 'node:stream'

export interface TerminalInput extends Readable {
  readonly isTTY?: boolean
}

export interface TerminalOutput extends Writable {
  readonly columns?: number
}

export interface Terminal {
  readonly input: TerminalInput
  readonly output: TerminalOutput
}

export type Answer =
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'closed'; readonly why: string }
  | { readonly kind: 'withdrawn' }

/** What arrives on a terminal sooner than this was typed before the question could be read, or to answer another. */
const tooSoonMs = 500
const longestAnswer = 4_096
// The last two are the keys for "stop" and "end of input" where the terminal passes keys on as they are.
// oxlint-disable-next-line no-control-regex -- control characters are what this finds
const endOfLine = /\r\n|[\n\r\u0003\u0004]/

/** A question that is withdrawn while it is shown says why: the reason of the signal. */
export async function askLine(
  { input, output }: Terminal,
  question: { readonly description: string; readonly prompt: string },
  withdrawn: AbortSignal,
): Promise<Answer> {
  if (withdrawn.aborted) return { kind: 'withdrawn' }
  if (input.readableEnded || input.destroyed) return { kind: 'closed', why: 'the input is closed' }
  if (output.writableEnded || output.destroyed) return { kind: 'closed', why: 'the output is closed' }
  return new Promise((resolve) => {
    const isSharedInput = input.readableFlowing === true
    const listeningFrom = input.isTTY === true ? Date.now() + tooSoonMs : 0
    let typed = ''

    const read = (chunk: Buffer | string): void => {
      // One character for each byte: places in the text are places in the chunk.
      const text = typeof chunk === 'string' ? chunk : chunk.toString('latin1')
      if (Date.now() < listeningFrom) {
        output.write(`(typed before the question could be read, ignored)\n${question.prompt}`)
        return
      }
      const end = endOfLine.exec(text)
      if (end === null) {
        typed += text
        if (typed.length > longestAnswer) finish({ kind: 'closed', why: 'the answer has no end' })
        return
      }
      const length = end.index + end[0].length
      finish({ kind: 'line', text: typed + text.slice(0, length) })
      // Others who read the input have had the rest already.
      if (!isSharedInput && length < text.length) input.unshift(chunk.slice(length))
    }
    const closeInput = (): void => finish({ kind: 'closed', why: 'the input is closed' })
    const closeOutput = (): void => finish({ kind: 'closed', why: 'the output is closed' })
    const withdraw = (): void => {
      output.write(`\nWithdrawn: ${String(withdrawn.reason)}\n`)
      finish({ kind: 'withdrawn' })
    }
    const finish = (answer: Answer): void => {
      input.off('data', read).off('end', closeInput).off('close', closeInput).off('error', closeInput)
      output.off('close', closeOutput).off('error', closeOutput)
      withdrawn.removeEventListener('abort', withdraw)
      if (!isSharedInput) input.pause()
      resolve(answer)
    }

    input.on('end', closeInput).on('close', closeInput).on('error', closeInput)
    output.on('close', closeOutput).on('error', closeOutput)
    withdrawn.addEventListener('abort', withdraw)
    output.write(question.description + question.prompt)
    input.on('data', read).resume()
  })
}
