import type { Bus } from "../bus/bus.ts"
import type { Caller } from "../http/caller.ts"
import type { AccessRevocation } from "../http/in-flight-requests.ts"
import { UnorderedList } from "../http/unordered-list.ts"
import type { AuthStore } from "./store.ts"

/** An in-flight request and the access it relies on. */
interface AccessDependentRequest {
  caller: Caller
  accessRevocation: AccessRevocation
}

/** Minimum pause between checks: provisioning changes many groups in quick succession. */
const pauseMs = 200
const retryMs = 1000

/**
 * Ends in-flight requests whose caller has lost the access they rely on, by leaving a group or by a
 * removed grant.
 */
export const createAccessRevocation = ({ store, bus }: { store: AuthStore; bus: Bus }) => {
  const inFlight = new UnorderedList<AccessDependentRequest>()
  let changedAt = Number.NEGATIVE_INFINITY
  let checkedAt = Number.NEGATIVE_INFINITY
  let isScheduled = false
  let isChecking = false
  let isStale = false

  const endLostAccess = async (): Promise<void> => {
    const all = [...inFlight]
    const accessByUser = await store.accessByUser(new Set(all.map(({ caller }) => caller.user.id)))
    for (const { caller, accessRevocation } of all) {
      const access = accessByUser.get(caller.user.id)
      // A deleted account has no credential either, which already ends the request.
      if (!access) continue
      const { role, groups } = access
      const currentCaller = { ...caller, user: { ...caller.user, role }, groups }
      if (accessRevocation.isDue(currentCaller)) accessRevocation.end()
    }
  }

  const scheduleCheck = (ms: number): void => {
    if (isScheduled) return
    isScheduled = true
    setTimeout(() => {
      isScheduled = false
      void runCheck()
    }, ms).unref()
  }

  const runCheck = async (): Promise<void> => {
    isChecking = true
    isStale = false
    checkedAt = performance.now()
    try {
      await endLostAccess()
      if (isStale) scheduleCheck(pauseMs)
    } catch {
      // Without the database, no change can be made either; retry.
      scheduleCheck(retryMs)
    } finally {
      isChecking = false
    }
  }

  /** Checks immediately, and then at most once per `pauseMs`. */
  const recheck = (): void => {
    if (inFlight.size === 0) return
    if (isChecking) isStale = true
    else scheduleCheck(Math.max(0, checkedAt + pauseMs - performance.now()))
  }

  bus.subscribe(({ topic }) => {
    if (topic === "groups" || topic === "reset") changedAt = performance.now()
    if (topic === "groups" || topic === "user" || topic === "reset") recheck()
  })

  return {
    /** Calls `end` when the access is lost. @returns a function that stops watching */
    watch: (caller: Caller, accessRevocation: AccessRevocation): (() => void) => {
      const stopWatching = inFlight.add({ caller, accessRevocation })
      // The change may have happened while the request body arrived.
      if (changedAt >= caller.confirmed_at) recheck()
      return stopWatching
    },
    /** Call after a change of grants has taken effect. */
    recheck,
  }
}
