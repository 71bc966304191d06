/** One call as the model asked for it. */
export interface ToolCall {
  /** The provider's id; the message with the outcome carries it back. */
  readonly id: string
  readonly name: string
  /** A mapping, or the JSON text of one. */
  readonly arguments: unknown
}
