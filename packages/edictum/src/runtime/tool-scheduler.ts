// Splits the calls of one step into waves: reads that touch different things run together, everything else one by one,
// all in the order the model gave.
import type { SafetyClass } from './runtime-tool.js'

export interface Schedulable {
  readonly safetyClass: SafetyClass
  readonly resourceKeys: readonly string[]
}

/** Calls of one wave run together; a wave begins when the one before it is over. */
export type ToolWave<Call> = readonly Call[]

export function scheduleWaves<Call>(
  calls: readonly Call[],
  describe: (call: Call) => Schedulable,
): readonly ToolWave<Call>[] {
  const waves: ToolWave<Call>[] = []
  let batch: Call[] = []
  let touched = new Set<string>()
  const flush = () => {
    if (batch.length > 0) waves.push(batch)
    batch = []
    touched = new Set()
  }
  for (const call of calls) {
    const { safetyClass, resourceKeys } = describe(call)
    const fits = safetyClass === 'read_only' && !resourceKeys.some((key) => touched.has(key))
    if (fits) {
      batch.push(call)
      for (const key of resourceKeys) touched.add(key)
      continue
    }
    flush()
    waves.push([call])
  }
  flush()
  return waves
}

/** Runs the work of one wave, at most so many at a time, and answers in the order of the calls. */
export async function runWave<Call, Result>(
  wave: ToolWave<Call>,
  run: (call: Call) => Promise<Result>,
  mostAtOnce: number,
): Promise<Result[]> {
  const results: Result[] = []
  let next = 0
  const worker = async () => {
    for (let index = next++; index < wave.length; index = next++)
      results[index] = await run(wave[index] as Call)
  }
  await Promise.all(Array.from({ length: Math.min(mostAtOnce, wave.length) }, worker))
  return results
}
