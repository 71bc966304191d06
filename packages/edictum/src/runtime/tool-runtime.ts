// The face of the guard that never rejects: tools are registered once, every call of a turn ends in one outcome.
import { EdictumConfigError } from '../contracts/config-error.js'
import { AbandonedCalls } from './abandoned-calls.js'
import type { ToolRuntimeOptions } from './runtime-options.js'
import { registerTool } from './runtime-tool.js'
import { Turn, type TurnOptions, type TurnParts } from './turn.js'

export class ToolRuntime {
  readonly #parts: TurnParts

  /** @throws EdictumConfigError when a tool or an option cannot be understood. */
  constructor(options: ToolRuntimeOptions) {
    for (const name of ['maxConcurrency', 'maxAbandonedCalls'] as const) {
      const count = options[name]
      if (count !== undefined && (!Number.isSafeInteger(count) || count < 1))
        throw EdictumConfigError.of('invalid-option', `${name} must be a whole number of at least 1`)
    }
    const tools = new Map(
      Object.entries(options.tools).map(([name, tool]) => [name, registerTool(name, tool)]),
    )
    this.#parts = { options, tools, abandoned: new AbandonedCalls() }
  }

  /** One turn of the agent: from the user's message to the answer. */
  startTurn(options: TurnOptions = {}): Turn {
    return new Turn(this.#parts, options)
  }
}
