// How a call ended and what it left behind, for the tests that quote the seeds.
import type { Edictum } from '../../src/index.js'

/** `returned`, or the name of what was thrown. */
export async function endOf(running: Promise<unknown>): Promise<string> {
  return running.then(
    () => 'returned',
    (error: unknown) => (error as Error).name,
  )
}

/** The four counters of the guard's own session, as they are stored. */
export async function countersOf(guard: Edictum, toolName: string) {
  const read = async (counter: string) => guard.backend.get(`s:${guard.sessionId}:${counter}`)
  return {
    attempts: await read('attempts'),
    execs: await read('execs'),
    tool: await read(`tool:${toolName}`),
    consecFail: await read('consec_fail'),
  }
}

/** Calls one after the other: how each ended. */
export async function endsOf(times: number, call: () => Promise<unknown>): Promise<readonly string[]> {
  const ends: string[] = []
  for (let time = 0; time < times; time++) ends.push(await endOf(call()))
  return ends
}
