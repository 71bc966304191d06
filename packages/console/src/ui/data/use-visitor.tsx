// Who is logged in. Everything below the shell has somebody.
import { createContext, type ReactNode, useContext } from 'react'
import type { UserRole, VisitingUser } from '../../protocol/visitor.js'

const UserContext = createContext<VisitingUser | undefined>(undefined)

export function UserProvider({ user, children }: { user: VisitingUser; children: ReactNode }): ReactNode {
  return <UserContext value={user}>{children}</UserContext>
}

export function useUser(): VisitingUser {
  const user = useContext(UserContext)
  if (user === undefined) throw new Error('nobody is logged in')
  return user
}

const allowedRoles = {
  approve: ['approver', 'admin'],
  publish: ['publisher', 'admin'],
  administer: ['admin'],
} as const satisfies Record<string, readonly UserRole[]>

export type Permission = keyof typeof allowedRoles

/** For what to offer; the server decides what is done. */
export function useMay(permission: Permission): boolean {
  const { role } = useUser()
  return (allowedRoles[permission] as readonly UserRole[]).includes(role)
}
