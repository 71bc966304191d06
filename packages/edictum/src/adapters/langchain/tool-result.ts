// The results of LangChain's tools, taken apart and put together again, so that contracts look at what was said and not
// at what it was wrapped in.
import type { OpenedResult } from '../../guard/passage.js'

/** The part of LangChain's messages that is looked at. */
interface Message {
  readonly content: unknown
  readonly status?: 'success' | 'error'
  readonly artifact?: unknown
  readonly additional_kwargs?: unknown
  readonly response_metadata?: unknown
  /** The fields once more, for when the message is written down. */
  readonly lc_kwargs?: object
}

/** State for the graph and where to go next; both may hold messages. */
interface Command {
  readonly update?: unknown
  readonly goto?: unknown
}

/** `answer` makes a message of a text, for what cannot be put together again. */
export function openResult(result: unknown, answer: (text: string) => unknown): OpenedResult {
  if (isMessage(result)) {
    const said = saidBy(result)
    const close: OpenedResult['close'] = (left, { failed }) => {
      const status = failed ? 'error' : result.status
      return left === said && status === result.status ? result : withSaid(result, left, status)
    }
    return { said, isFailure: result.status === 'error', close }
  }
  if (isCommand(result)) {
    const carried = { update: result.update, goto: result.goto }
    const said = saidIn(carried)
    const close: OpenedResult['close'] = (left) => {
      if (left === said) return result
      return isRecord(left) ? copyWith(result, putBack(carried, left) as object) : answer(String(left))
    }
    return { said, isFailure: false, close }
  }
  return { said: result, isFailure: false, close: (left) => left }
}

/** Where a message may carry output besides its content. */
const channels = ['artifact', 'additional_kwargs', 'response_metadata'] as const

/** The content alone where that is all, so that a contract on its text sees just that. */
function saidBy(message: Message): unknown {
  const beside = channels.map((name) => [name, message[name]] as const).filter(([, value]) => !isEmpty(value))
  return beside.length === 0 ? message.content : { content: message.content, ...Object.fromEntries(beside) }
}

function withSaid(message: Message, left: unknown, status: Message['status']): Message {
  // What was masked across the borders of fields has become one text, and nothing may stay beside it.
  const isWhole = isRecord(left) && 'content' in left
  const empty = { artifact: undefined, additional_kwargs: {}, response_metadata: {} }
  const fields = {
    ...empty,
    ...(isWhole ? left : { content: left }),
    ...(status === undefined ? {} : { status }),
  }
  return copyWith(message, { ...fields, lc_kwargs: { ...message.lc_kwargs, ...fields } })
}

function saidIn(value: unknown): unknown {
  if (isMessage(value)) return saidBy(value)
  if (Array.isArray(value)) return value.map(saidIn)
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, saidIn(field)]))
}

/** Wraps what is left of a value as the value was wrapped. Names may have been masked, so it goes by places. */
function putBack(value: unknown, left: unknown): unknown {
  if (isMessage(value)) return withSaid(value, left, value.status)
  if (Array.isArray(value) && Array.isArray(left)) return left.map((item, at) => putBack(value[at], item))
  if (!isRecord(value) || !isRecord(left)) return left
  const fields = Object.values(value)
  return Object.fromEntries(
    Object.entries(left).map(([name, field], at) => [name, putBack(fields[at], field)]),
  )
}

/** A copy of the same class; LangChain knows its own by a symbol, which must not be lost. */
function copyWith<Value extends object>(value: Value, fields: object): Value {
  const copy = Object.create(
    Object.getPrototypeOf(value) as object,
    Object.getOwnPropertyDescriptors(value),
  ) as Value
  return Object.assign(copy, fields)
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (isRecord(value) && Object.keys(value).length === 0)
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

function isMessage(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && 'lc_kwargs' in value && 'content' in value
}

function isCommand(value: unknown): value is Command {
  return typeof value === 'object' && value !== null && 'lg_name' in value && value.lg_name === 'Command'
}
