import { type ReactNode, Suspense, useLayoutEffect } from "react"
import { holdKeys } from "../lib/held-keys.ts"

const Loading = ({ inField, children }: { inField: boolean; children: ReactNode }) => {
  useLayoutEffect(() => {
    const release = holdKeys({ inField })
    return () => void release()
  }, [inField])
  return children
}

interface LazyPopupProps {
  /** Shown while the popup loads. */
  fallback?: ReactNode
  /** Whether the focus stays in a text field, next to which a list opens. */
  inField?: boolean
  children: ReactNode
}

/** A lazily loaded menu, list, or dialog, which receives the keys typed while it loads. */
export const LazyPopup = ({ fallback = null, inField = false, children }: LazyPopupProps) => (
  <Suspense fallback={<Loading inField={inField}>{fallback}</Loading>}>{children}</Suspense>
)
