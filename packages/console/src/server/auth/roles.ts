import type { UserRole } from '../../protocol/visitor.js'

/** Approving and publishing are different trades; an administrator does both. */
export const viewers: readonly UserRole[] = ['viewer', 'approver', 'publisher', 'admin']
export const approvers: readonly UserRole[] = ['approver', 'admin']
export const publishers: readonly UserRole[] = ['publisher', 'admin']
export const admins: readonly UserRole[] = ['admin']
