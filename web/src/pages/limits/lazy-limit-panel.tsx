import { Suspense } from "react"
import { lazyAdministrationComponent } from "../../lib/lazy-component.tsx"
import { LazyLoadBoundary } from "../../ui/lazy-load-boundary.tsx"
import { Skeleton } from "../../ui/skeleton.tsx"
import type { LimitPanelProps } from "./limit-panel.tsx"

const LimitPanel = lazyAdministrationComponent(
  async () => (await import("./limit-panel.tsx")).LimitPanel,
)

/** As `LimitPanel`, for pages whose routes do not load the texts of the administration. */
export const LazyLimitPanel = (props: LimitPanelProps) => (
  <LazyLoadBoundary>
    <Suspense fallback={<Skeleton rows={2} />}>
      <LimitPanel {...props} />
    </Suspense>
  </LazyLoadBoundary>
)
