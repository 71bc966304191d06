/** What stands where something was masked. */
export const redactedText = '[REDACTED]'
