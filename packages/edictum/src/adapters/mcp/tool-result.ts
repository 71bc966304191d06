// Results of MCP tools, taken apart for contracts and put together again so that clients that check them are content.
import type { OpenedResult } from '../../guard/passage.js'

interface CallToolResult {
  readonly content?: readonly unknown[]
  readonly structuredContent?: unknown
  readonly isError?: boolean
}

/** Marked as an error, because only then may a tool with an output schema answer without structured content. */
export function errorResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}

/** Contracts get the text of a result that is nothing but one text, else everything in it. */
export function openResult(result: unknown): OpenedResult {
  const { isError, ...carried } = result as CallToolResult
  const text = onlyTextOf(carried)
  const said = text ?? carried
  return {
    said,
    isFailure: isError === true,
    close: (left, { failed }): CallToolResult => {
      const mark = failed || isError === true ? { isError: true } : {}
      if (left === said) return { ...carried, ...mark }
      if (typeof left === 'object' && left !== null) return withSchemaKept(carried, { ...left, ...mark })
      // One text in, one text out; or masked across the borders of fields, and then nothing may stay beside it.
      const isStructured = 'structuredContent' in carried
      return isStructured
        ? errorResult(String(left))
        : { content: [{ type: 'text', text: String(left) }], ...mark }
    },
  }
}

function onlyTextOf(carried: Omit<CallToolResult, 'isError'>): string | undefined {
  const { content, ...others } = carried
  if (content?.length !== 1 || Object.keys(others).length > 0) return undefined
  const [block] = content
  const isText =
    typeof block === 'object' && block !== null && Object.keys(block).length === 2 && 'text' in block
  return isText && typeof block.text === 'string' ? block.text : undefined
}

/** A masked number is a text, which no client accepts where the output schema wants a number. */
function withSchemaKept(before: CallToolResult, after: CallToolResult): CallToolResult {
  if (hasSameTypes(before.structuredContent, after.structuredContent)) return after
  const { structuredContent: _, ...others } = after
  return { ...others, isError: true }
}

function hasSameTypes(before: unknown, after: unknown): boolean {
  if (typeof before !== typeof after) return false
  if (typeof before !== 'object' || before === null || typeof after !== 'object' || after === null)
    return true
  const fields = Object.entries(after)
  return Object.entries(before).every(
    ([name, field], at) => fields[at]?.[0] === name && hasSameTypes(field, fields[at][1]),
  )
}
