// Who the call is made for. Accepted in camelCase from code and in snake_case from files and batches.
import { EdictumConfigError } from '../contracts/config-error.js'
import type { Principal } from '../policy/envelope.js'

/** What a caller may give: any of the fields, in either spelling. */
export interface PrincipalInput {
  readonly userId?: string | null
  readonly serviceId?: string | null
  readonly orgId?: string | null
  readonly role?: string | null
  readonly ticketRef?: string | null
  readonly claims?: Readonly<Record<string, unknown>>
  readonly user_id?: string | null
  readonly service_id?: string | null
  readonly org_id?: string | null
  readonly ticket_ref?: string | null
}

/** @throws EdictumConfigError when a field is not text or the claims are not a mapping. */
export function readPrincipal(input: PrincipalInput | null | undefined): Principal | null {
  if (input === null || input === undefined) return null
  if (typeof input !== 'object' || Array.isArray(input)) {
    throw EdictumConfigError.of('invalid-option', 'a principal must be a mapping')
  }
  const { claims } = input
  if (claims !== undefined && claims !== null && (typeof claims !== 'object' || Array.isArray(claims))) {
    throw EdictumConfigError.of('invalid-option', 'principal.claims must be a mapping')
  }
  return {
    userId: textOrNull(input.userId ?? input.user_id, 'userId'),
    serviceId: textOrNull(input.serviceId ?? input.service_id, 'serviceId'),
    orgId: textOrNull(input.orgId ?? input.org_id, 'orgId'),
    role: textOrNull(input.role, 'role'),
    ticketRef: textOrNull(input.ticketRef ?? input.ticket_ref, 'ticketRef'),
    claims: claims ?? noClaims,
  }
}

/** Shared by all principals without claims. */
export const noClaims: Readonly<Record<string, unknown>> = Object.freeze({})

function textOrNull(value: unknown, field: string): string | null {
  if (value === undefined || value === null) return null
  if (typeof value === 'string') return value
  throw EdictumConfigError.of('invalid-option', `principal.${field} must be text`)
}
