// Defined in the library, whose client speaks it; one definition for both sides.
export { type ErrorBody, type ErrorCode, errorCodes, type FieldFault } from 'edictum/server/protocol'
