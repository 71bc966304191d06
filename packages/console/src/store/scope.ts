/** What agents share, they share within one environment of one tenant. */
export interface Scope {
  readonly tenant: number
  readonly env: string
}
