import { Component, type ReactNode, Suspense, useLayoutEffect, useRef } from "react"
import { holdKeys } from "../browser/hold-keys.ts"
import { LazyLoadError, resetFailedLoads, setLazyLoadFailed } from "../lib/lazy-component.tsx"

interface LoadingProps extends Pick<LazyPopupProps, "onCancel"> {
  inField: boolean
  children: ReactNode
}

const Loading = ({ inField, onCancel, children }: LoadingProps) => {
  const cancel = useRef(onCancel)
  cancel.current = onCancel
  useLayoutEffect(() => {
    const release = holdKeys({ inField, onEscape: () => cancel.current() })
    return () => void release()
  }, [inField])
  return children
}

interface LazyPopupProps {
  /** Shown while the popup loads. */
  fallback?: ReactNode
  /** Whether the focus stays in a text field, next to which a list opens. */
  inField?: boolean
  /** Called when Escape is pressed while the popup loads, and if it cannot be loaded. */
  onCancel: () => void
  children: ReactNode
}

/** A lazily loaded menu, list, or dialog, which receives the keys typed while it loads. */
export class LazyPopup extends Component<LazyPopupProps, { error: unknown }> {
  override state = { error: null }

  static getDerivedStateFromError = (error: unknown) => ({ error })

  override componentDidCatch(error: unknown): void {
    if (!(error instanceof LazyLoadError)) return
    setLazyLoadFailed(true)
    this.props.onCancel()
    resetFailedLoads()
    this.setState({ error: null })
  }

  override render(): ReactNode {
    const error: unknown = this.state.error
    const { fallback = null, inField = false, onCancel, children } = this.props
    if (error !== null) {
      if (!(error instanceof LazyLoadError)) throw error
      return fallback
    }
    return (
      <Suspense fallback={<Loading {...{ inField, onCancel }}>{fallback}</Loading>}>
        {children}
      </Suspense>
    )
  }
}
