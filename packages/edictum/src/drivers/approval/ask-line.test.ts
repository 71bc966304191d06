import { PassThrough, Writable } from 'node:stream'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { askLine, type Answer } from './ask-line.js'

const question = { description: 'A call.\n', prompt: 'ok? ' }
const never = new AbortController().signal

function openTerminal(kind: 'terminal' | 'pipe' = 'pipe') {
  const input = Object.assign(new PassThrough({ autoDestroy: false }), { isTTY: kind === 'terminal' })
  const output = new PassThrough()
  const listeners = () =>
    [input, output].map((stream) => stream.eventNames().map((name) => stream.listenerCount(name)))
  const before = listeners()
  return { input, output, expectNoTraces: () => expect(listeners()).toEqual(before) }
}

async function ask(
  terminal: ReturnType<typeof openTerminal>,
  withdrawn: AbortSignal = never,
): Promise<Answer> {
  return askLine(terminal, question, withdrawn)
}

describe('askLine', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  it('writes the question and returns the line', async () => {
    const terminal = openTerminal()
    const answer = ask(terminal)
    expect(String(terminal.output.read())).toBe('A call.\nok? ')
    terminal.input.write('ye')
    terminal.input.write('s\n')
    await expect(answer).resolves.toEqual({ kind: 'line', text: 'yes\n' })
    terminal.expectNoTraces()
    expect(terminal.input.isPaused()).toBe(true)
  })

  it.each(['yes\r\n', 'yes\r', 'yes\u0003', 'yes\u0004'])('ends the line %j', async (text) => {
    const terminal = openTerminal()
    terminal.input.write(text)
    await expect(ask(terminal)).resolves.toEqual({ kind: 'line', text })
  })

  it.each(['bytes', 'text'])('leaves the input after its line to the next reader, as %s', async (kind) => {
    const terminal = openTerminal()
    if (kind === 'text') terminal.input.setEncoding('utf8')
    terminal.input.end('yes\nnö\nrest')
    await ask(terminal)
    await ask(terminal)
    let rest = ''
    for await (const chunk of terminal.input) rest += String(chunk)
    expect(rest).toBe('rest')
  })

  it('neither stops nor repeats an input that somebody else reads', async () => {
    const terminal = openTerminal()
    const seen: string[] = []
    terminal.input.on('data', (chunk) => seen.push(String(chunk)))
    await new Promise(setImmediate)
    const answer = ask(terminal)
    terminal.input.write('y\nmore')
    await answer
    await new Promise(setImmediate)
    expect(seen).toEqual(['y\nmore'])
    expect(terminal.input.isPaused()).toBe(false)
  })

  it.each([
    ['ends', (input: PassThrough) => input.end()],
    ['ends in the middle of a line', (input: PassThrough) => input.end('y')],
    ['is destroyed', (input: PassThrough) => input.destroy()],
    ['fails', (input: PassThrough) => input.destroy(new Error('gone'))],
  ])('reports an input that %s', async (_how, close) => {
    const terminal = openTerminal()
    const answer = ask(terminal)
    close(terminal.input)
    await expect(answer).resolves.toEqual({ kind: 'closed', why: 'the input is closed' })
    await expect(ask(terminal)).resolves.toEqual({ kind: 'closed', why: 'the input is closed' })
    terminal.expectNoTraces()
  })

  it('reports an output that fails, and one that is closed', async () => {
    const output = new Writable({ write: (_chunk, _encoding, done) => done(new Error('broken pipe')) })
    const terminal = { input: new PassThrough(), output }
    await expect(askLine(terminal, question, never)).resolves.toEqual({
      kind: 'closed',
      why: 'the output is closed',
    })
    await expect(askLine(terminal, question, never)).resolves.toEqual({
      kind: 'closed',
      why: 'the output is closed',
    })
    expect(terminal.input.eventNames()).toEqual(new PassThrough().eventNames())
  })

  it('gives up on an answer without end', async () => {
    const terminal = openTerminal()
    terminal.input.write('y'.repeat(5_000))
    await expect(ask(terminal)).resolves.toEqual({ kind: 'closed', why: 'the answer has no end' })
  })

  it('stops when the question is withdrawn, and never starts when it was', async () => {
    const terminal = openTerminal()
    const withdrawal = new AbortController()
    const answer = ask(terminal, withdrawal.signal)
    withdrawal.abort('too late')
    await expect(answer).resolves.toEqual({ kind: 'withdrawn' })
    expect(String(terminal.output.read())).toBe('A call.\nok? \nWithdrawn: too late\n')
    await expect(ask(terminal, withdrawal.signal)).resolves.toEqual({ kind: 'withdrawn' })
    expect(terminal.output.read()).toBeNull()
    terminal.expectNoTraces()
  })

  it('ignores what was typed on a terminal before the question could be read', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const terminal = openTerminal('terminal')
    terminal.input.write('y\n')
    const answer = ask(terminal)
    await new Promise(setImmediate)
    expect(String(terminal.output.read())).toBe(
      'A call.\nok? (typed before the question could be read, ignored)\nok? ',
    )
    vi.advanceTimersByTime(500)
    terminal.input.write('n\n')
    await expect(answer).resolves.toEqual({ kind: 'line', text: 'n\n' })
  })
})
