// What both built-in stores can be told, and the one place where their defaults are written.
import { EdictumConfigError } from '../../contracts/config-error.js'

export interface ArtifactLimits {
  readonly sessionArtifacts: number
  readonly sessionBytes: number
  readonly totalArtifacts: number
  readonly totalBytes: number
}

export interface ArtifactStoreOptions {
  /** @default 3600 */
  readonly ttlSeconds?: number
  /** What may be stored at a time; storing more rejects. Those left out keep their defaults. */
  readonly limits?: Partial<ArtifactLimits>
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

export interface ArtifactSettings {
  readonly ttlMs: number
  readonly limits: ArtifactLimits
  readonly now: () => number
}

const mebibyte = 1_048_576

export const artifactDefaults = {
  ttlSeconds: 3_600,
  limits: {
    sessionArtifacts: 100,
    sessionBytes: 32 * mebibyte,
    totalArtifacts: 1_000,
    totalBytes: 256 * mebibyte,
  },
} as const satisfies ArtifactStoreOptions

const longestTtlSeconds = 10 * 366 * 86_400

/** @throws EdictumConfigError for a number that means nothing. */
export function readSettings(options: ArtifactStoreOptions): ArtifactSettings {
  const { ttlSeconds = artifactDefaults.ttlSeconds, now = Date.now } = options
  if (!(ttlSeconds > 0 && ttlSeconds <= longestTtlSeconds)) {
    throw EdictumConfigError.of(
      'invalid-option',
      `ttlSeconds must be more than 0 and at most ${longestTtlSeconds}`,
    )
  }
  const limits = { ...artifactDefaults.limits, ...options.limits }
  for (const [name, limit] of Object.entries(limits)) {
    if (!(limit >= 0)) throw EdictumConfigError.of('invalid-option', `limits.${name} must be 0 or more`)
  }
  return { ttlMs: ttlSeconds * 1_000, limits, now }
}
