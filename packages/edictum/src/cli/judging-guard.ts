// The guard that a command judges by: contracts from the files it was given.
import { loadBundleString } from '../contracts/load.js'
import { type BundleLayer, type JudgingGuard, openJudgingGuard } from '../testing/judging-guard.js'
import { type Invocation, UsageError } from './command.js'
import { readGiven } from './files.js'

/** From the operands of a command: one file, or the layers of one bundle. @throws EdictumConfigError, UsageError */
export async function judgingGuard(invocation: Invocation, command: string): Promise<JudgingGuard> {
  const { operands } = invocation
  if (operands.length === 0) throw new UsageError(`${command} needs a file with contracts`)
  const environment = invocation.options.text('environment')
  return openJudgingGuard(
    await loadFiles(operands, invocation),
    environment === undefined ? {} : { environment },
  )
}

export async function loadFiles(
  files: readonly string[],
  invocation: Invocation,
): Promise<readonly BundleLayer[]> {
  const loaded: BundleLayer[] = []
  for (const file of files) {
    const { name, bytes } = await readGiven(file, invocation)
    loaded.push({ file: name, ...loadBundleString(bytes, { file: name }) })
  }
  return loaded
}
