// The counters of one session, for contracts and hooks written in code.
import { type StorageBackend, sessionKeys } from './ports/storage-backend.js'
import { checkSessionId } from './session-id.js'
import { parseCount } from './session-store.js'

export class Session {
  readonly sessionId: string
  readonly #backend: StorageBackend

  constructor(sessionId: string, backend: StorageBackend) {
    this.sessionId = checkSessionId(sessionId)
    this.#backend = backend
  }

  async incrementAttempts(): Promise<number> {
    return this.#backend.increment(this.#keys().attempts)
  }

  async attemptCount(): Promise<number> {
    return this.#read(this.#keys().attempts)
  }

  async executionCount(): Promise<number> {
    return this.#read(this.#keys().executions)
  }

  async toolExecutionCount(toolName: string): Promise<number> {
    return this.#read(this.#keys(toolName).toolExecutions)
  }

  async consecutiveFailures(): Promise<number> {
    return this.#read(this.#keys().consecutiveFailures)
  }

  /** Only a successful execution counts against limits; a failure counts as one more in a row. */
  async recordExecution(toolName: string, success: boolean): Promise<void> {
    const keys = this.#keys(toolName)
    if (!success) {
      await this.#backend.increment(keys.consecutiveFailures)
      return
    }
    await this.#backend.increment(keys.executions)
    await this.#backend.increment(keys.toolExecutions)
    await this.#backend.delete(keys.consecutiveFailures)
  }

  #keys(toolName = '') {
    return sessionKeys(this.sessionId, toolName)
  }

  async #read(key: string): Promise<number> {
    return parseCount(await this.#backend.get(key))
  }
}
