// Calls that were given up and still go on. A promise cannot be killed; a tool that hangs must not collect them for ever.

export class AbandonedCalls {
  readonly #byTool = new Map<string, number>()

  count(toolName: string): number {
    return this.#byTool.get(toolName) ?? 0
  }

  /** Answers how to take the call off the list. */
  add(toolName: string): () => void {
    this.#byTool.set(toolName, this.count(toolName) + 1)
    return () => {
      const left = this.count(toolName) - 1
      if (left > 0) this.#byTool.set(toolName, left)
      else this.#byTool.delete(toolName)
    }
  }
}
