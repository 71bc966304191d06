// Defined in the library, whose client speaks it; one definition for both sides.
export { agentHeader, idempotencyHeader, policyVersionHeader, protocolPrefix } from 'edictum/server/protocol'
