// A ready-made tool with which a model reads what was too long for a message. Its own answers are never too long.
import { deepFreeze } from '../../internal/deep-freeze.js'
import { ArtifactError } from './artifact-error.js'
import {
  type ArtifactMatches,
  type ArtifactPage,
  endOfHead,
  findMatches,
  startOfTail,
  takePage,
} from './artifact-pages.js'
import type { ArtifactStore } from './artifact-store.js'

/** A tool for the runtime, or for any framework that takes a name, a JSON Schema and a function. */
export interface ArtifactReader {
  readonly name: 'read_file'
  readonly description: string
  readonly parameters: Readonly<Record<string, unknown>>
  readonly sideEffect: 'read'
  readonly idempotent: true
  /** Masking may lengthen an answer; it must not become an artifact that has to be read in turn. */
  readonly oversizedOutput: 'truncate'
  /**
   * Reads for the session of the context; no argument can name another. Rejects with an ArtifactError whose message is
   * meant for the model.
   */
  execute(
    args: Readonly<Record<string, unknown>>,
    context: { readonly sessionId: string },
  ): Promise<ArtifactPage | ArtifactMatches>
}

const scheme = 'artifact://'
const longestPage = 8_000
const longestNeedle = 200
/** What is left of a message when everything but the texts has its place. */
const jsonChars = 12_000 - 200

const description = `Reads an output that was too long to be shown, by the path ${scheme}<id> of its reference. \
Answers with a page of text and next_offset, where the next page begins (null at the end). \
Use grep, head or tail to look at a part instead.`

const parameters = deepFreeze({
  type: 'object',
  properties: {
    path: { type: 'string', description: `${scheme} followed by the artifact's id` },
    offset: {
      type: 'integer',
      minimum: 0,
      description: 'the character to start at; with grep, where to search from; 0 if left out',
    },
    limit: {
      type: 'integer',
      minimum: 1,
      description: `the most characters to read; never more than ${longestPage} at a time`,
    },
    head: { type: 'integer', minimum: 1, description: 'read so many lines from the start' },
    tail: { type: 'integer', minimum: 1, description: 'read so many lines at the end' },
    grep: {
      type: 'string',
      minLength: 1,
      maxLength: longestNeedle,
      description: 'list the lines that contain this text, exactly as written (no pattern)',
    },
  },
  required: ['path'],
  additionalProperties: false,
} as const)

export function createArtifactReader(store: ArtifactStore): ArtifactReader {
  return Object.freeze({
    name: 'read_file',
    description,
    parameters,
    sideEffect: 'read',
    idempotent: true,
    oversizedOutput: 'truncate',
    async execute(args, { sessionId }) {
      const request = readRequest(args)
      const text = await store.read(sessionId, request.artifactId)
      if (text === undefined) {
        throw new ArtifactError('not-found', 'there is no such artifact; it may have expired')
      }
      return answer(text, request)
    },
  } satisfies ArtifactReader)
}

type Request = { readonly artifactId: string } & (
  | { readonly kind: 'page'; readonly offset: number; readonly limit: number }
  | { readonly kind: 'head'; readonly lines: number; readonly limit: number }
  | { readonly kind: 'tail'; readonly lines: number; readonly limit: number }
  | { readonly kind: 'grep'; readonly needle: string; readonly offset: number }
)

function answer(text: string, request: Request): ArtifactPage | ArtifactMatches {
  switch (request.kind) {
    case 'page':
      return takePage(text, { offset: request.offset, end: request.offset + request.limit, jsonChars })
    case 'head':
      return takePage(text, {
        offset: 0,
        end: Math.min(endOfHead(text, request.lines), request.limit),
        jsonChars,
      })
    case 'tail': {
      const offset = startOfTail(text, request.lines)
      return takePage(text, { offset, end: offset + request.limit, jsonChars })
    }
    case 'grep':
      return findMatches(text, { needle: request.needle, offset: request.offset, jsonChars })
    default:
      return request satisfies never
  }
}

/** Checked here as well as by the schema: not everyone who runs a tool validates its arguments first. */
function readRequest(args: Readonly<Record<string, unknown>>): Request {
  const unknown = Object.keys(args).find((key) => !Object.hasOwn(parameters.properties, key))
  if (unknown !== undefined) throw invalid(`there is no argument \`${unknown}\``)
  const artifactId = readPath(args['path'])
  const offset = readCount(args, 'offset')
  const limit = readCount(args, 'limit')
  const head = readCount(args, 'head')
  const tail = readCount(args, 'tail')
  const needle = readNeedle(args['grep'])
  if ([head, tail, needle].filter((given) => given !== undefined).length > 1) {
    throw invalid('only one of `head`, `tail` and `grep` can be used at a time')
  }
  if (needle !== undefined) {
    if (limit !== undefined) throw invalid('`limit` cannot be used with `grep`')
    return { artifactId, kind: 'grep', needle, offset: offset ?? 0 }
  }
  const chars = Math.min(limit ?? longestPage, longestPage)
  if (head === undefined && tail === undefined) {
    return { artifactId, kind: 'page', offset: offset ?? 0, limit: chars }
  }
  if (offset !== undefined) throw invalid('`offset` cannot be used with `head` or `tail`')
  return head === undefined
    ? { artifactId, kind: 'tail', lines: tail ?? 1, limit: chars }
    : { artifactId, kind: 'head', lines: head, limit: chars }
}

function readPath(path: unknown): string {
  if (typeof path !== 'string' || !path.startsWith(scheme) || path === scheme) {
    throw invalid(`\`path\` must be ${scheme} followed by the id of an artifact`)
  }
  return path.slice(scheme.length)
}

function readCount(
  args: Readonly<Record<string, unknown>>,
  name: 'offset' | 'limit' | 'head' | 'tail',
): number | undefined {
  const given = args[name]
  if (given === undefined) return undefined
  const { minimum } = parameters.properties[name]
  if (typeof given === 'number' && Number.isSafeInteger(given) && given >= minimum) return given
  throw invalid(`\`${name}\` must be a whole number of at least ${minimum}`)
}

function readNeedle(needle: unknown): string | undefined {
  if (needle === undefined) return undefined
  if (typeof needle !== 'string' || needle === '' || needle.length > longestNeedle) {
    throw invalid(`\`grep\` must be text of 1 to ${longestNeedle} characters`)
  }
  if (needle.includes('\n')) throw invalid('`grep` looks for text within one line')
  return needle
}

function invalid(message: string): ArtifactError {
  return new ArtifactError('invalid-request', message)
}
