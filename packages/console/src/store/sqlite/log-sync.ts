// Brings what is committed to the disk. SQLite would do it inside the commit and keep this thread waiting; here a thread of
// the platform waits, meanwhile more is committed, and all of that shares the next trip to the disk.

/** How long a commit that nobody waits for may stay in memory, so that one that somebody waits for takes it along. */
const longestDelayMs = 20

export class LogSync {
  readonly #sync: () => Promise<void>
  #underWay: Promise<void> | undefined
  #next: Promise<void> | undefined
  #failure: Error | undefined
  #delayed: NodeJS.Timeout | undefined

  /** @param sync brings everything that was written before it is called to the disk */
  constructor(sync: () => Promise<void>) {
    this.#sync = sync
  }

  /** Why nothing that is committed can be trusted any more. */
  get failure(): Error | undefined {
    return this.#failure
  }

  /** To be called after a commit that nobody waits for. */
  committedUnawaited(): void {
    // A trip that is agreed on takes it along.
    if (this.#next !== undefined) return
    // Whoever comes next hears of it when it fails.
    this.#delayed ??= setTimeout(() => void this.committed().catch(() => undefined), longestDelayMs)
  }

  /** To be called after a commit: resolves when it is on the disk. */
  committed(): Promise<void> {
    this.#next ??= (this.#underWay ?? Promise.resolve()).then(() => this.#begin())
    return this.#next
  }

  /** Undefined when everything that is committed is on the disk; otherwise resolves when it is. */
  outstanding(): Promise<void> | undefined {
    return this.#next ?? this.#underWay
  }

  /** Begins nothing any more that nobody waits for; resolves when what is under way is over, however it ends. */
  async close(): Promise<void> {
    this.#forgetDelayed()
    // Whoever waits for it hears of it when it fails.
    await this.outstanding()?.catch(() => undefined)
  }

  #forgetDelayed(): void {
    clearTimeout(this.#delayed)
    this.#delayed = undefined
  }

  #begin(): Promise<void> {
    this.#forgetDelayed()
    const round = this.#run().finally(() => {
      // What failed stays here, so that nobody takes it for done.
      if (this.#underWay === round && this.#failure === undefined) this.#underWay = undefined
    })
    this.#underWay = round
    this.#next = undefined
    return round
  }

  async #run(): Promise<void> {
    try {
      await this.#sync()
    } catch (error) {
      // The system may forget what it could not write, and then the next attempt looks like success.
      this.#failure = new Error('the disk failed; what was written last may be lost', { cause: error })
      throw this.#failure
    }
  }
}
