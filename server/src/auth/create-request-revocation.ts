import type { Bus } from "../bus/bus.ts"
import { createInFlightRequests, type InFlightLimits } from "../http/in-flight-requests.ts"
import { createAccessRevocation } from "./access-revocation.ts"
import { createCredentialRevocation } from "./credential-revocation.ts"
import type { AuthStore } from "./store.ts"

/** Tracks in-flight requests, which end when their credential or their access is revoked. */
export const createRequestRevocation = (deps: {
  store: AuthStore
  bus: Bus
  limits: InFlightLimits
}) => {
  const { watch } = createCredentialRevocation(deps)
  const { watch: watchAccess, recheck } = createAccessRevocation(deps)
  const { limits } = deps
  return {
    inFlight: createInFlightRequests({ watch, watchAccess, limits }),
    recheckAccess: recheck,
  }
}
