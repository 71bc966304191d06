// Small runtimes for tests.
import { type Edictum, type EdictumOptions } from '../../src/index.js'
import type { ArtifactDraft, ArtifactReference, ArtifactStore } from '../../src/artifacts.js'
import {
  type RuntimeTool,
  ToolRuntime,
  type ToolRuntimeOptions,
  type Turn,
  type TurnOptions,
} from '../../src/runtime/index.js'
import { guardOf } from '../guard/bundles.js'
import { FakeClock } from '../../src/testing/fake-clock.js'

export interface Scene {
  readonly guard: Edictum
  readonly runtime: ToolRuntime
  readonly turn: Turn
  readonly clock: FakeClock
  readonly artifacts: SmallArtifactStore
}

export interface SceneOptions {
  readonly contracts?: readonly object[]
  readonly guard?: EdictumOptions
  readonly runtime?: Partial<ToolRuntimeOptions>
  readonly turn?: TurnOptions
}

export function sceneOf(tools: Readonly<Record<string, RuntimeTool>>, options: SceneOptions = {}): Scene {
  const guard = guardOf(options.contracts ?? [], options.guard)
  const clock = new FakeClock()
  const artifacts = new SmallArtifactStore()
  const runtime = new ToolRuntime({ guard, tools, clock, artifacts, ...options.runtime })
  const turn = runtime.startTurn({ sessionId: 's', maxToolCalls: 100, ...options.turn })
  return { guard, runtime, turn, clock, artifacts }
}

/** Keeps everything; fails when told to. */
export class SmallArtifactStore implements ArtifactStore {
  readonly drafts = new Map<string, ArtifactDraft>()
  isBroken = false

  async store(draft: ArtifactDraft): Promise<ArtifactReference> {
    if (this.isBroken) throw new Error('disk full')
    const artifactId = `art_${this.drafts.size}`
    this.drafts.set(artifactId, draft)
    const { text } = draft
    const summary = text.slice(0, 200)
    return { artifactId, summary, sizeBytes: Buffer.byteLength(text), expiresAt: Date.now() + 1_000 }
  }

  async read(sessionId: string, artifactId: string): Promise<string | undefined> {
    const draft = this.drafts.get(artifactId)
    return draft?.sessionId === sessionId ? draft.text : undefined
  }

  async cleanupSession(): Promise<number> {
    return 0
  }

  async sweep(): Promise<number> {
    return 0
  }
}

let lastId = 0

export function call(name: string, args: unknown = {}, id = `call-${++lastId}`) {
  return { id, name, arguments: args }
}

export async function countersOf(guard: Edictum, toolName: string) {
  const read = async (key: string) => Number((await guard.backend.get(`s:s:${key}`)) ?? 0)
  return {
    attempts: await read('attempts'),
    executions: await read('execs'),
    toolExecutions: await read(`tool:${toolName}`),
    failuresInARow: await read('consec_fail'),
  }
}
