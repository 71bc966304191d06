// Our own protocol, beside the two published ones. A change that an older client would misread gets a new prefix.

export const protocolPrefix = '/api/edictum/v1'

/** Who is speaking; a claim, unless the API key is bound to a pattern of agents. */
export const agentHeader = 'X-Edictum-Agent-Id'

/** A request repeated with the same key has no second effect and gets the first answer. */
export const idempotencyHeader = 'Idempotency-Key'

/** Hash of the contracts the agent runs, on any of its requests. */
export const policyVersionHeader = 'X-Edictum-Policy-Version'
