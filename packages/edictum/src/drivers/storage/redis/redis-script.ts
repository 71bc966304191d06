/** A script as the server knows it: by the SHA-1 of its text. */
export interface RedisScript {
  readonly sha: string
  readonly text: string
}
