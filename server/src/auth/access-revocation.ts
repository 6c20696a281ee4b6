import type { Bus } from "../bus/bus.ts"
import type { Caller } from "../http/caller.ts"
import type { Withdrawal } from "../http/in-flight-requests.ts"
import { Roster } from "../http/unordered-list.ts"
import type { AuthStore } from "./store.ts"

/** A request that is running on access that can be taken away. */
interface Running {
  caller: Caller
  withdrawal: Withdrawal
}

/** Between two looks: a provider that moves many people changes many groups in a row. */
const pauseMs = 200
const retryMs = 1000

/**
 * Ends what runs on access that its caller has no more: who left the group that allowed it, or
 * whose grant was taken away.
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
      // Whose account is gone has no credential either, which ends the request.
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
      // While the database is away nobody can be moved.
      lookSoon(retryMs)
    } finally {
      isLooking = false
    }
  }

  /** At once, and then no more often than every so many milliseconds. */
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
    /** Calls `end` when the access has gone. @returns how to stop watching */
    watch: (caller: Caller, withdrawal: Withdrawal): (() => void) => {
      const leave = running.enter({ caller, withdrawal })
      // Its body may have taken long to arrive, and the change came meanwhile.
      if (changedAt >= caller.confirmed_at) recheck()
      return leave
    },
    /** To be called when grants have changed, once that is in force. */
    recheck,
  }
}
