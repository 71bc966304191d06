// GET /api/edictum/v1/visitor → Visitor

export const userRoles = ['viewer', 'approver', 'publisher', 'admin'] as const
/** Each may do what those before it may, except that approving and publishing are different trades. */
export type UserRole = (typeof userRoles)[number]

export interface Visitor {
  readonly version: string
  /** Null when nobody is logged in. */
  readonly user: VisitingUser | null
}

export interface VisitingUser {
  readonly id: string
  readonly email: string
  readonly role: UserRole
  readonly has_password: boolean
}
