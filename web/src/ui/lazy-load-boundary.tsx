import { Component, type ReactNode } from "react"
import { LazyLoadError, resetFailedLoads } from "../lib/lazy-component.tsx"
import { ErrorNote } from "./error-note.tsx"

/** Shows why a lazily loaded part of the page is missing, and tries again when asked. */
export class LazyLoadBoundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state = { error: null }

  static getDerivedStateFromError = (error: unknown) => ({ error })

  retry = (): void => {
    resetFailedLoads()
    this.setState({ error: null })
  }

  override render(): ReactNode {
    const error: unknown = this.state.error
    if (error === null) return this.props.children
    if (!(error instanceof LazyLoadError)) throw error
    return (
      <div className="p-4">
        <ErrorNote error={error} retry={this.retry} />
      </div>
    )
  }
}
