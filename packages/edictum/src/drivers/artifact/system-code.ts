/** Why the system refused, in its own short word, such as ENOSPC. Its sentences name paths, which a model must not see. */
export function systemCodeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason'
}
