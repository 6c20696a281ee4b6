import { Suspense } from "react"
import { lazyAdministrationComponent } from "../../lib/lazy-component.tsx"
import { LazyLoadBoundary } from "../../ui/lazy-load-boundary.tsx"
import { Skeleton } from "../../ui/skeleton.tsx"
import type { LimitPanelProps } from "./limit-panel.tsx"

const LimitPanel = lazyAdministrationComponent(
  async () => (await import("./limit-panel.tsx")).LimitPanel,
)

const OwnLimits = lazyAdministrationComponent(
  async () => (await import("./own-limits.tsx")).OwnLimits,
)

/** As `OwnLimits`, for the account's pages. */
export const LazyOwnLimits = () => (
  <LazyLoadBoundary>
    <Suspense fallback={null}>
      <OwnLimits />
    </Suspense>
  </LazyLoadBoundary>
)

/** As `LimitPanel`, for pages whose routes do not load the texts of the administration. */
export const LazyLimitPanel = (props: LimitPanelProps) => (
  <LazyLoadBoundary>
    <Suspense fallback={<Skeleton rows={2} />}>
      <LimitPanel {...props} />
    </Suspense>
  </LazyLoadBoundary>
)
