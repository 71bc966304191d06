// What a person reads before consenting. Everything the agent or its user chose stands behind a bar, on lines this file
// breaks itself, so it cannot pass for the question or for an answer.
import type { RedactionPolicy } from '../../policy/redaction/redaction-policy.js'
import type { PendingApproval } from './memory.js'
import { makePrintable, wrapText } from './printable.js'

export interface RequestView {
  readonly redaction: RedactionPolicy
  /** Width of the terminal. */
  readonly columns: number
  readonly secondsLeft: number
}

const labelColumns = 11
const mostLines = 40

export function describeRequest(request: PendingApproval, view: RequestView): string {
  const { redaction, secondsLeft } = view
  const original = makeReadable(request.toolArgs) as Readonly<Record<string, unknown>>
  const shown = redaction.redactArgs(original) as Readonly<Record<string, unknown>>
  const message = request.message.trim()
  const shownMessage = String(redaction.redactArgs(message))
  const cutTexts = countCutTexts([original, message], [shown, shownMessage])
  const sections = [
    ['Message', [shownMessage]],
    ['Tool', [request.toolName]],
    ['Arguments', writeFields(shown)],
    ['For', describeCaller(request, redaction)],
    ['Id', [request.approvalId]],
    [
      'Otherwise',
      [`${request.timeoutEffect === 'allow' ? 'allowed' : 'denied'} in ${secondsLeft} s without an answer`],
    ],
    [
      'Attention',
      cutTexts === 0
        ? []
        : [`${cutTexts} long ${cutTexts === 1 ? 'text is' : 'texts are'} not shown in full`],
    ],
  ] as const
  return [
    '',
    'Approval needed',
    ...sections.flatMap(([label, texts]) => writeSection(label, texts, view)),
    '',
  ].join('\n')
}

function writeSection(label: string, texts: readonly string[], { columns }: RequestView): readonly string[] {
  // One column stays free: a full line makes some terminals break it once more.
  const room = Math.max(columns - labelColumns - 5, 8)
  const lines: string[] = []
  for (const text of texts) {
    if (lines.length <= mostLines)
      lines.push(...wrapText(makePrintable(text.slice(0, room * (mostLines + 1))), room))
  }
  if (lines.length > mostLines) lines.splice(mostLines, lines.length, '(the rest is NOT SHOWN)')
  return lines.map((line, index) => `  ${(index === 0 ? label : '').padEnd(labelColumns)}| ${line}`)
}

function writeFields(fields: Readonly<Record<string, unknown>>): readonly string[] {
  const lines = Object.entries(fields).map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
  return lines.length === 0 ? ['none'] : lines
}

function describeCaller(request: PendingApproval, redaction: RedactionPolicy): readonly string[] {
  const principal = redaction.redactArgs(makeReadable(request.principal ?? {})) as Readonly<
    Record<string, unknown>
  >
  const known = Object.entries(principal).filter(
    ([, value]) => value !== null && JSON.stringify(value) !== '{}',
  )
  const who = known.length === 0 ? ['nobody in particular'] : writeFields(Object.fromEntries(known))
  return [...who, `session = ${JSON.stringify(request.sessionId)}`]
}

/** Plain data in which dates, bytes and unusual numbers are texts: nothing may look empty that is not. */
function makeReadable(value: unknown): unknown {
  if (value === undefined) return '(undefined)'
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item: unknown) => makeReadable(item))
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString()
  if (ArrayBuffer.isView(value)) return `(${value.byteLength} bytes)`
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, makeReadable(field)]))
}

function countCutTexts(original: unknown, shown: unknown): number {
  if (typeof original === 'string') return shown !== original && String(shown).endsWith('...') ? 1 : 0
  if (typeof original !== 'object' || original === null || typeof shown !== 'object' || shown === null)
    return 0
  return Object.entries(original).reduce(
    (count, [key, field]) => count + countCutTexts(field, (shown as Readonly<Record<string, unknown>>)[key]),
    0,
  )
}
