import type { Bus } from "../bus/bus.ts"
import type { Caller } from "../http/caller.ts"
import type { Withdrawal } from "../http/in-flight-requests.ts"
import { Roster } from "../http/unordered-list.ts"
import type { AuthStore } from "./store.ts"

/** An in-flight request and the access it relies on. */
interface Running {
  caller: Caller
  withdrawal: Withdrawal
}

/** Minimum pause between checks: provisioning changes many groups in quick succession. */
const pauseMs = 200
const retryMs = 1000

/**
 * Ends in-flight requests whose caller has lost the access they rely on, by leaving a group or by a
 * removed grant.
 */
export const createAccessWatch = ({ store, bus }: { store: AuthStore; bus: Bus }) => {
  const running = new Roster<Running>()
  let changedAt = Number.NEGATIVE_INFINITY
  let lookedAt = Number.NEGATIVE_INFINITY
  let isPlanned = false
  let isLooking = false
  let isStale = false

  const look = async (): Promise<void> => {
    const all = [...running]
    const standings = await store.standings(new Set(all.map(({ caller }) => caller.user.id)))
    for (const { caller, withdrawal } of all) {
      const standing = standings.get(caller.user.id)
      // A deleted account has no credential either, which already ends the request.
      if (!standing) continue
      const { role, groups } = standing
      const present = { ...caller, user: { ...caller.user, role }, groups }
      if (withdrawal.isDue(present)) withdrawal.end()
    }
  }

  const lookSoon = (ms: number): void => {
    if (isPlanned) return
    isPlanned = true
    setTimeout(() => {
      isPlanned = false
      void lookNow()
    }, ms).unref()
  }

  const lookNow = async (): Promise<void> => {
    isLooking = true
    isStale = false
    lookedAt = performance.now()
    try {
      await look()
      if (isStale) lookSoon(pauseMs)
    } catch {
      // Without the database, no change can be made either; retry.
      lookSoon(retryMs)
    } finally {
      isLooking = false
    }
  }

  /** Checks immediately, and then at most once per `pauseMs`. */
  const recheck = (): void => {
    if (running.size === 0) return
    if (isLooking) isStale = true
    else lookSoon(Math.max(0, lookedAt + pauseMs - performance.now()))
  }

  bus.subscribe(({ topic }) => {
    if (topic === "groups" || topic === "reset") changedAt = performance.now()
    if (topic === "groups" || topic === "user" || topic === "reset") recheck()
  })

  return {
    /** Calls `end` when the access is lost. @returns a function that stops watching */
    watch: (caller: Caller, withdrawal: Withdrawal): (() => void) => {
      const leave = running.enter({ caller, withdrawal })
      // The change may have happened while the request body arrived.
      if (changedAt >= caller.confirmed_at) recheck()
      return leave
    },
    /** Call after a change of grants has taken effect. */
    recheck,
  }
}
