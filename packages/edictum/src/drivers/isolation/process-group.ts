import type { ChildProcess } from 'node:child_process'

/** Where a process can lead a group, a signal reaches everything it has started; elsewhere only itself. */
export const hasProcessGroups = process.platform !== 'win32'

export function signalGroup(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (child.pid === undefined) return
  try {
    if (hasProcessGroups) process.kill(-child.pid, signal)
    else child.kill(signal)
  } catch {
    // Nobody is left.
  }
}

const running = new Set<ChildProcess>()

const endAll = (): void => {
  for (const child of running) signalGroup(child, 'SIGKILL')
}

/** While this process runs a child, ending this process ends the child. */
export function keepUntilGone(child: ChildProcess): void {
  if (running.size === 0) process.on('exit', endAll)
  running.add(child)
}

export function release(child: ChildProcess): void {
  if (running.delete(child) && running.size === 0) process.off('exit', endAll)
}
