// When to look again: when the server says that something changed, and when somebody comes back to the page. The stream is
// a hint and never the truth, so a slow clock goes on beside it, and a quicker one while there is none.

export type Topic = 'events' | 'approvals' | 'agents' | 'bundles'

type Listener = () => void

const pollMs = 3_000
const pollBesideStreamMs = 15_000

const topicsOf: Readonly<Record<string, readonly Topic[]>> = {
  event_created: ['events', 'agents'],
  approval_created: ['approvals'],
  approval_decided: ['approvals'],
  approval_timeout: ['approvals'],
  assignment_changed: ['agents'],
  bundle_uploaded: ['bundles'],
  bundle_deployed: ['bundles', 'agents'],
  bundle_acknowledged: ['bundles', 'agents'],
  ready: ['events', 'approvals', 'agents', 'bundles'],
  resync: ['events', 'approvals', 'agents', 'bundles'],
}

const listeners = new Map<Topic, Set<Listener>>()
let stream: EventSource | undefined
let timer: ReturnType<typeof setInterval> | undefined
let lastAt = 0

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

function announce(topics: readonly Topic[]): void {
  for (const topic of topics) for (const listener of listeners.get(topic) ?? []) listener()
}

function announceAll(): void {
  if (document.visibilityState !== 'visible') return
  lastAt = Date.now()
  announce([...listeners.keys()])
}

function poll(): void {
  const isStreaming = stream?.readyState === EventSource.OPEN
  if (Date.now() - lastAt >= (isStreaming ? pollBesideStreamMs : pollMs)) announceAll()
  // Closed for good, as after a refusal: the browser does not try again by itself.
  if (stream?.readyState === EventSource.CLOSED) stream = openStream()
}

function openStream(): EventSource {
  const opened = new EventSource('/api/v1/stream/dashboard')
  for (const [name, topics] of Object.entries(topicsOf)) opened.addEventListener(name, () => announce(topics))
  return opened
}

function start(): void {
  if (timer !== undefined) return
  lastAt = Date.now()
  timer = setInterval(poll, pollMs)
  stream = openStream()
  document.addEventListener('visibilitychange', announceAll)
  window.addEventListener('focus', announceAll)
  window.addEventListener('online', announceAll)
}

function stop(): void {
  clearInterval(timer)
  timer = undefined
  stream?.close()
  stream = undefined
  document.removeEventListener('visibilitychange', announceAll)
  window.removeEventListener('focus', announceAll)
  window.removeEventListener('online', announceAll)
}
