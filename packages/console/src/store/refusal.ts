/** What a store refuses although the request has the right shape, because of what is stored. */
export class StoreRefusal extends Error {
  override readonly name = 'StoreRefusal'
  readonly code:
    'not-a-number' | 'number-too-large' | 'idempotency-mismatch' | 'approval-not-pending' | 'conflict'

  constructor(code: StoreRefusal['code'], message: string) {
    super(message)
    this.code = code
  }
}
