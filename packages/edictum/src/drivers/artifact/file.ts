// Artifacts as files of one private folder. All there is to know about an artifact is in its file's name, so a restart
// forgets nothing and several processes can share the folder.
import { constants } from 'node:fs'
import { type FileHandle, open, readdir, rename, rm, unlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { EdictumConfigError } from '../../contracts/config-error.js'
import { messageOf } from '../../internal/message-of.js'
import { ArtifactError } from '../../runtime/artifacts/artifact-error.js'
import type {
  ArtifactDraft,
  ArtifactReference,
  ArtifactStore,
} from '../../runtime/artifacts/artifact-store.js'
import { ensurePrivateFolder } from './private-folder.js'
import { type ArtifactSettings, type ArtifactStoreOptions, readSettings } from './settings.js'
import {
  isExpired,
  keyOfSession,
  type PreparedArtifact,
  prepareArtifact,
  refuseBeyondLimits,
  type StoredArtifact,
} from './stored-artifact.js'
import { systemCodeOf } from './system-code.js'

const artifactName =
  /^(?<sessionKey>[0-9a-f]{64})\.(?<artifactId>art_[0-9a-f]{32})\.(?<expiresAt>\d{1,16})\.(?<sizeBytes>\d{1,16})\.txt$/
const unfinishedName = /^unfinished\.(?<expiresAt>\d{1,16})\.art_[0-9a-f]{32}$/

interface Listing {
  readonly artifacts: readonly StoredArtifact[]
  /** Left behind by a process that died while writing. */
  readonly abandoned: readonly string[]
}

/** Artifacts that survive the process, readable by its user alone. The folder must be private, or is created so. */
export class FileArtifactStore implements ArtifactStore {
  readonly #folder: string
  readonly #settings: ArtifactSettings
  #lastChange: Promise<unknown> = Promise.resolve()

  /** @throws EdictumConfigError when the folder cannot be used, is a link, or is not private to this user. */
  constructor(folder: string, options: ArtifactStoreOptions = {}) {
    this.#settings = readSettings(options)
    // Without a slash at its end, or a link would be taken for what it leads to.
    this.#folder = resolve(folder)
    try {
      ensurePrivateFolder(this.#folder)
    } catch (error) {
      throw EdictumConfigError.of(
        'invalid-option',
        `${messageOf(error)}: ${this.#folder}`,
        'name a folder that does not exist yet, or one that only this user can open',
      )
    }
  }

  store(draft: ArtifactDraft): Promise<ArtifactReference> {
    return this.#inTurn(async () => {
      const { remaining } = await this.#removeExpired()
      const artifact = prepareArtifact(draft, this.#settings)
      refuseBeyondLimits(remaining, artifact, this.#settings.limits)
      await this.#write(artifact)
      return artifact.reference
    })
  }

  async read(sessionId: string, artifactId: string): Promise<string | undefined> {
    const key = keyOfSession(sessionId)
    const { artifacts } = await this.#list()
    const artifact = artifacts.find((one) => one.artifactId === artifactId && one.sessionKey === key)
    if (artifact === undefined || isExpired(artifact, this.#settings.now())) return undefined
    return readWhole(join(this.#folder, nameOf(artifact)), artifact.sizeBytes)
  }

  cleanupSession(sessionId: string): Promise<number> {
    const key = keyOfSession(sessionId)
    return this.#inTurn(async () => {
      const { artifacts } = await this.#list()
      return this.#remove(artifacts.filter(({ sessionKey }) => sessionKey === key).map(nameOf))
    })
  }

  sweep(): Promise<number> {
    return this.#inTurn(async () => (await this.#removeExpired()).removed)
  }

  /** One change after the other, or two could each find room for the last artifact. */
  #inTurn<Result>(change: () => Promise<Result>): Promise<Result> {
    const turn = this.#lastChange.then(change)
    this.#lastChange = turn.catch(() => {})
    return turn
  }

  async #list(): Promise<Listing> {
    // Asked every time: whoever can write to the folder above could have put another in its place.
    ensurePrivateFolder(this.#folder)
    const now = this.#settings.now()
    const artifacts: StoredArtifact[] = []
    const abandoned: string[] = []
    for (const name of await listNames(this.#folder)) {
      const artifact = artifactOf(name)
      if (artifact) artifacts.push(artifact)
      else if (Number(unfinishedName.exec(name)?.groups?.['expiresAt']) <= now) abandoned.push(name)
    }
    return { artifacts, abandoned }
  }

  async #removeExpired(): Promise<{
    readonly removed: number
    readonly remaining: readonly StoredArtifact[]
  }> {
    const { artifacts, abandoned } = await this.#list()
    const now = this.#settings.now()
    await this.#remove(abandoned)
    const expired = artifacts.filter((artifact) => isExpired(artifact, now))
    const remaining = artifacts.filter((artifact) => !isExpired(artifact, now))
    return { removed: await this.#remove(expired.map(nameOf)), remaining }
  }

  async #remove(names: readonly string[]): Promise<number> {
    let removed = 0
    for (const name of names) if (await removeFile(join(this.#folder, name))) removed += 1
    return removed
  }

  /** Under its name a file is always whole: it is written under another and moved when it is complete. */
  async #write(artifact: PreparedArtifact): Promise<void> {
    const unfinished = join(this.#folder, `unfinished.${artifact.expiresAt}.${artifact.artifactId}`)
    try {
      const file = await open(unfinished, 'wx', 0o600)
      try {
        await file.writeFile(artifact.bytes)
      } finally {
        await file.close()
      }
      await rename(unfinished, join(this.#folder, nameOf(artifact)))
    } catch (error) {
      await rm(unfinished, { force: true }).catch(() => {})
      throw failure('write-failed', 'the artifact could not be written', error)
    }
  }
}

async function listNames(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    throw failure('read-failed', 'the artifacts could not be listed', error)
  }
}

function nameOf({ sessionKey, artifactId, expiresAt, sizeBytes }: StoredArtifact): string {
  return `${sessionKey}.${artifactId}.${expiresAt}.${sizeBytes}.txt`
}

function artifactOf(name: string): StoredArtifact | undefined {
  const parts = artifactName.exec(name)?.groups
  if (parts === undefined) return undefined
  const { sessionKey = '', artifactId = '', expiresAt, sizeBytes } = parts
  return { sessionKey, artifactId, expiresAt: Number(expiresAt), sizeBytes: Number(sizeBytes) }
}

/** Undefined when the file is gone or is not what was written: part of an artifact would pass for the whole. */
async function readWhole(path: string, sizeBytes: number): Promise<string | undefined> {
  let file: FileHandle
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined
    throw failure('read-failed', 'the artifact could not be read', error)
  }
  try {
    const bytes = await file.readFile()
    return bytes.byteLength === sizeBytes ? bytes.toString('utf8') : undefined
  } catch (error) {
    throw failure('read-failed', 'the artifact could not be read', error)
  } finally {
    await file.close()
  }
}

async function removeFile(path: string): Promise<boolean> {
  try {
    await unlink(path)
    return true
  } catch (error) {
    // Another process may have been faster.
    if (systemCodeOf(error) === 'ENOENT') return false
    throw failure('write-failed', 'an artifact could not be removed', error)
  }
}

function failure(code: 'read-failed' | 'write-failed', what: string, cause: unknown): ArtifactError {
  return new ArtifactError(code, `${what} (${systemCodeOf(cause)})`, { cause })
}
