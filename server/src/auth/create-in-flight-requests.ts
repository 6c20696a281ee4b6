import type { Bus } from "../bus/bus.ts"
import { createRunning, type RunningLimits } from "../http/in-flight-requests.ts"
import { createAccessWatch } from "./access-revocation.ts"
import { createLive } from "./credential-revocation.ts"
import type { AuthStore } from "./store.ts"

/** The requests under way, which end with their credential and with what allows them. */
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
