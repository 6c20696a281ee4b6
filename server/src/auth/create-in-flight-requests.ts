import type { Bus } from "../bus/bus.ts"
import { createRunning, type RunningLimits } from "../http/in-flight-requests.ts"
import { createAccessRevocation } from "./access-revocation.ts"
import { createCredentialRevocation } from "./credential-revocation.ts"
import type { AuthStore } from "./store.ts"

/** Tracks in-flight requests, which end when their credential or their access is revoked. */
export const createRequestRevocation = (deps: {
  store: AuthStore
  bus: Bus
  limits: RunningLimits
}) => {
  const { watch } = createCredentialRevocation(deps)
  const { watch: watchAccess, recheck } = createAccessRevocation(deps)
  const { limits } = deps
  return { inFlight: createRunning({ watch, watchAccess, limits }), recheckAccess: recheck }
}
