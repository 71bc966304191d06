// Who the call is made for. Accepted in camelCase from code and in snake_case from files and batches.
import { EdictumConfigError } from '../contracts/config-error.js'
import type { Principal } from '../policy/envelope.js'
import { frozenCopy, noFields } from './frozen-data.js'

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

/** Who a dry run is judged for. @throws EdictumConfigError when a field is not text or the claims are not a mapping. */
export function readPrincipal(input: PrincipalInput | null | undefined): Principal | null {
  return input === null || input === undefined ? null : principalOf(input, claimsOf(input))
}

/** A frozen copy, for a call that will run. @throws EdictumConfigError as above, and for claims that cannot be copied. */
export function snapshotPrincipal(input: PrincipalInput | null | undefined): Principal | null {
  if (input === null || input === undefined) return null
  const claims = claimsOf(input)
  return Object.freeze(principalOf(input, claims === noFields ? noFields : frozenCopy(claims, 'claims')))
}

function claimsOf(input: PrincipalInput): Principal['claims'] {
  if (typeof input !== 'object' || Array.isArray(input)) {
    throw EdictumConfigError.of('invalid-option', 'a principal must be a mapping')
  }
  const { claims } = input
  if (claims === undefined || claims === null) return noFields
  if (typeof claims !== 'object' || Array.isArray(claims)) {
    throw EdictumConfigError.of('invalid-option', 'principal.claims must be a mapping')
  }
  return claims
}

function principalOf(input: PrincipalInput, claims: Principal['claims']): Principal {
  return {
    userId: textOrNull(input.userId ?? input.user_id, 'userId'),
    serviceId: textOrNull(input.serviceId ?? input.service_id, 'serviceId'),
    orgId: textOrNull(input.orgId ?? input.org_id, 'orgId'),
    role: textOrNull(input.role, 'role'),
    ticketRef: textOrNull(input.ticketRef ?? input.ticket_ref, 'ticketRef'),
    claims,
  }
}

function textOrNull(value: unknown, field: string): string | null {
  if (value === undefined || value === null) return null
  if (typeof value === 'string') return value
  throw EdictumConfigError.of('invalid-option', `principal.${field} must be text`)
}
