// Who writes to which files of a spool. Processes share the folder; each has files of its own, and takes over those of
// processes that are gone.
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { randomUUID } from 'node:crypto'

/** `<time>-<number>-<owner>.jsonl`: sorted by name, the oldest comes first. */
const segmentForm = /^(\d{15}-\d{6})-([0-9a-f-]{36})\.jsonl$/
const ownerForm = /^([0-9a-f-]{36})\.owner$/

export class SpoolOwner {
  readonly #folder: string
  readonly #id = randomUUID()
  #segments = 0

  constructor(folder: string) {
    this.#folder = folder
    // Before any segment: a segment without an owner belongs to nobody.
    writeFileSync(this.#ownerFile(this.#id), JSON.stringify({ pid: process.pid, host: hostname() }), {
      flag: 'wx',
      mode: 0o600,
    })
    livingHere.add(this.#id)
  }

  nextSegment(now: number): string {
    const time = String(now).padStart(15, '0')
    const number = String(this.#segments++).padStart(6, '0')
    return join(this.#folder, `${time}-${number}-${this.#id}.jsonl`)
  }

  /** Paths of segments whose process is gone, now owned by this one, oldest first. */
  takeOver(): readonly string[] {
    const names = readdirSync(this.#folder).toSorted()
    const owners = names.map((name) => ownerForm.exec(name)?.[1]).filter((id) => id !== undefined)
    const living = new Set(owners.filter((id) => id !== this.#id && this.#isAlive(id)))
    const taken: string[] = []
    for (const name of names) {
      const [, position, owner] = segmentForm.exec(name) ?? []
      if (position === undefined || owner === undefined || owner === this.#id || living.has(owner)) continue
      const path = join(this.#folder, `${position}-${this.#id}.jsonl`)
      try {
        // Only one of several who try gets it.
        renameSync(join(this.#folder, name), path)
        taken.push(path)
      } catch {
        continue
      }
    }
    for (const owner of owners) {
      if (owner !== this.#id && !living.has(owner)) rmSync(this.#ownerFile(owner), { force: true })
    }
    return taken
  }

  /** What is left in the folder belongs to whoever comes next. */
  leave(): void {
    livingHere.delete(this.#id)
    rmSync(this.#ownerFile(this.#id), { force: true })
  }

  #isAlive(id: string): boolean {
    if (livingHere.has(id)) return true
    try {
      const { pid, host } = JSON.parse(readFileSync(this.#ownerFile(id), 'utf8')) as Record<string, unknown>
      // Nobody can tell from here whether a process on another machine is alive.
      if (host !== hostname()) return true
      return typeof pid === 'number' && pid !== process.pid && isRunning(pid)
    } catch {
      return false
    }
  }

  #ownerFile(id: string): string {
    return join(this.#folder, `${id}.owner`)
  }
}

/** Owners in this process: their number alone does not tell them from a process that had it before. */
const livingHere = new Set<string>()

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
