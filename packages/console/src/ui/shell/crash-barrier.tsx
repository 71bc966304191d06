import { Component, type ReactNode } from 'react'

interface State {
  readonly fault: Error | undefined
}

/** A fault of the page itself is said, not hidden behind a white screen. */
export class CrashBarrier extends Component<{ readonly children: ReactNode }, State> {
  override state: State = { fault: undefined }

  static getDerivedStateFromError(error: unknown): State {
    return { fault: error instanceof Error ? error : new Error(String(error)) }
  }

  override render(): ReactNode {
    const { fault } = this.state
    if (fault === undefined) return this.props.children
    return (
      <main className="alone">
        <h1>The page failed</h1>
        <p>
          Nothing was changed by that. The fault: <code>{fault.message.slice(0, 500)}</code>
        </p>
        <button type="button" onClick={() => window.location.reload()}>
          Load the page again
        </button>
      </main>
    )
  }
}
