// The whole page: somebody who is logged in sees the shell, everybody else the way in.
import { type ReactNode, useEffect } from 'react'
import type { Visitor } from '../protocol/visitor.js'
import { onSessionEnd } from './data/request.js'
import { useResource } from './data/use-resource.js'
import { UserProvider } from './data/use-visitor.js'
import { matchPath } from './navigation/match-path.js'
import { usePlace } from './navigation/router.js'
import { LogIn } from './pages/log-in/log-in.js'
import { LoginLink } from './pages/log-in/login-link.js'
import { CrashBarrier } from './shell/crash-barrier.js'
import { Shell } from './shell/shell.js'
import { Loaded } from './parts/states.js'

export function Console(): ReactNode {
  const { path } = usePlace()
  const link = matchPath('/login/{token}', path)
  return (
    <CrashBarrier>{link === undefined ? <Inside /> : <LoginLink token={link['token'] ?? ''} />}</CrashBarrier>
  )
}

function Inside(): ReactNode {
  const visitor = useResource<Visitor>('/api/edictum/v1/visitor')
  useEffect(() => onSessionEnd(visitor.reload), [visitor.reload])
  return (
    <Loaded resource={visitor} what="the console">
      {({ user, version }) =>
        user === null ? (
          <LogIn />
        ) : (
          <UserProvider user={user}>
            <Shell version={version} />
          </UserProvider>
        )
      }
    </Loaded>
  )
}
