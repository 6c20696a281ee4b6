import type { Bus } from "../bus/bus.ts"
import { createRunning, type RunningLimits } from "../http/in-flight-requests.ts"
import { createAccessWatch } from "./access-revocation.ts"
import { createLive } from "./credential-revocation.ts"
import type { AuthStore } from "./store.ts"

/** Tracks in-flight requests, which end when their credential or their access is revoked. */
export const createRunningRequests = (deps: {
  store: AuthStore
  bus: Bus
  limits: RunningLimits
}) => {
  const { watch } = createLive(deps)
  const { watch: watchAccess, recheck } = createAccessWatch(deps)
  const { limits } = deps
  return { running: createRunning({ watch, watchAccess, limits }), recheckAccess: recheck }
}
