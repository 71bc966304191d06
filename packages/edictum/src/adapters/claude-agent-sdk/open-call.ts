// A call that the framework runs itself: it asks before and tells after. The way through the guard stays the same; it
// waits in the place of the tool until the framework comes back.
import type { FrameworkCall, Pass, Passage } from '../../guard/passage.js'

export type EndedTool = { readonly output: unknown } | { readonly error: Error }

/** The call may run; somebody else runs it. */
export interface OpenCall {
  readonly kind: 'entered'
  finish(ending: EndedTool): Promise<Passage>
  /** The tool will not run after all. */
  abandon(): Promise<void>
}

class NeverRan extends Error {}

export async function enter<Context>(
  pass: Pass<Context>,
  call: FrameworkCall<Context>,
): Promise<OpenCall | Passage> {
  return new Promise((resolve, reject) => {
    const run = async (): Promise<unknown> =>
      new Promise((done, fail) => {
        resolve({
          kind: 'entered',
          finish: async (ending) => {
            if ('error' in ending) fail(ending.error)
            else done(ending.output)
            return passage
          },
          abandon: async () => {
            fail(new NeverRan())
            await passage.catch(() => undefined)
          },
        })
      })
    const passage = pass(call, { run, isPause: (error) => error instanceof NeverRan })
    passage.then(resolve, reject)
  })
}
