// When to look again: at an interval, and when somebody comes back to the page.

export type Topic = 'events' | 'approvals' | 'agents' | 'bundles' | 'settings'

type Listener = () => void

const pollMs = 3_000
const listeners = new Map<Topic, Set<Listener>>()
let timer: ReturnType<typeof setInterval> | undefined

/** Calls the listener whenever something of the topic may have changed. */
export function subscribe(topic: Topic, listener: Listener): () => void {
  const ofTopic = listeners.get(topic) ?? new Set()
  listeners.set(topic, ofTopic.add(listener))
  start()
  return () => {
    ofTopic.delete(listener)
    if ([...listeners.values()].every(({ size }) => size === 0)) stop()
  }
}

function announce(topic: Topic): void {
  for (const listener of listeners.get(topic) ?? []) listener()
}

function announceAll(): void {
  if (document.visibilityState !== 'visible') return
  for (const topic of listeners.keys()) announce(topic)
}

function start(): void {
  if (timer !== undefined) return
  timer = setInterval(announceAll, pollMs)
  document.addEventListener('visibilitychange', announceAll)
  window.addEventListener('focus', announceAll)
  window.addEventListener('online', announceAll)
}

function stop(): void {
  clearInterval(timer)
  timer = undefined
  document.removeEventListener('visibilitychange', announceAll)
  window.removeEventListener('focus', announceAll)
  window.removeEventListener('online', announceAll)
}
