import type { AuditEvent } from '../guard/ports/audit-event.js'
import { sampleAuditEvent } from './sample-audit-event.js'

const cyclic: Record<string, unknown> = { name: 'loop' }
cyclic['self'] = cyclic
cyclic['again'] = [cyclic, cyclic]

let deep: unknown = 'bottom'
for (let level = 0; level < 10_000; level++) deep = [deep]

function failWhenAsked(): never {
  throw new Error('asked')
}

const hostileValues: Readonly<Record<string, unknown>> = {
  'line breaks': 'one\ntwo\r\nthree\u2028four\u2029five\u0085six',
  'control characters': '\u0000\u0007\u001b[2J\u007f\u009b31m\u202e',
  'half a character': '\ud83d and \ude00',
  'JSON in text': '"},{"action":"call_denied"}\\',
  'a big integer': 2n ** 70n,
  'no number': [Number.NaN, Number.POSITIVE_INFINITY, -0],
  'no data': [undefined, Symbol('symbol'), () => 'function'],
  'a toJSON that throws': { toJSON: failWhenAsked },
  'a toJSON that lies': { secret: '[REDACTED]', toJSON: () => 'hunter2' },
  'a getter that throws': Object.defineProperty({}, 'trap', { enumerable: true, get: failWhenAsked }),
  'a proxy that throws': new Proxy({}, { ownKeys: failWhenAsked, get: failWhenAsked }),
  'a field named __proto__': JSON.parse('{"__proto__":{"polluted":true},"constructor":1}'),
  'an object without prototype': Object.assign(Object.create(null) as object, { key: 'value' }),
  'an invalid date': new Date(Number.NaN),
  'data that contains itself': cyclic,
  'data without bottom': deep,
  'a list of nothing': Object.assign([], { length: 4_000_000_000 }),
  'a megabyte of text': 'x'.repeat(1_048_576),
  'many values': Array.from({ length: 100_000 }, (_, index) => index),
}

/** Events whose content tries to break the line, the reader or the sink; each with a call id that says how. */
export function hostileAuditEvents(): readonly AuditEvent[] {
  return Object.entries(hostileValues).flatMap(([name, value]) => {
    const text = typeof value === 'string' ? value : null
    const failed = { name: 'contract', type: 'precondition', passed: false, message: text } as const
    return [
      sampleAuditEvent({ callId: `${name} in the arguments`, toolArgs: { value } }),
      sampleAuditEvent({ callId: `${name} in the claims`, principal: { claims: { value } } }),
      sampleAuditEvent({
        callId: `${name} in the metadata`,
        contractsEvaluated: [{ ...failed, metadata: { value } }],
        reason: text,
        error: text,
      }),
    ]
  })
}
