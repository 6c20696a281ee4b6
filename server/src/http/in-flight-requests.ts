import type { UserLimits } from "../limits/user-limits.ts"
import type { Caller } from "./caller.ts"
import { UnorderedList } from "./unordered-list.ts"

/** Ends a request whose caller may not have what it runs on any more. */
export interface AccessRevocation {
  /** @param present the caller with the role and the groups of now */
  isDue: (present: Caller) => boolean
  end: () => void
}

/** How a request that is under way is ended from our side. */
export interface InFlightHandlers {
  /** Its credential was revoked. */
  revoke: () => void
  /** The gateway shuts down, and the time to finish is up. */
  shutDown: () => void
  /** The gateway is about to shut down; for what would never end by itself. */
  draining?: () => void
  /** Access to what it uses may be taken away while it runs. */
  accessRevocation?: AccessRevocation
}

/** Tells when a caller's credential stops being valid; returns how to stop asking. */
export type WatchCredential = (caller: Caller, revoked: () => void) => () => void

/** Tells when a caller's access is taken away; returns how to stop asking. */
export type WatchAccess = (caller: Caller, accessRevocation: AccessRevocation) => () => void

/** How many requests of one user run at once. */
export type InFlightLimits = Pick<UserLimits, "requests" | "eventStreams">

interface Deps {
  watch: WatchCredential
  watchAccess: WatchAccess
  limits: InFlightLimits
}

const nothing = (): void => {}

/** The requests under way, so that they can be waited for, or ended. */
export const createInFlightRequests = ({ watch, watchAccess, limits }: Deps) => {
  const endings = new UnorderedList<InFlightHandlers>()
  const waiting = new Set<() => void>()
  let isDraining = false

  return {
    /**
     * @returns to be called when the request is over
     * @throws {Failure} `rate_limited` when its user, or everybody, has too many
     */
    enter: (
      caller: Caller,
      ending: InFlightHandlers,
      kind: "requests" | "eventStreams" = "requests",
    ): (() => void) => {
      const release = limits[kind].reserve(caller.user.id)
      const leave = endings.add(ending)
      const stopWatching = watch(caller, ending.revoke)
      const { accessRevocation: withdrawal } = ending
      const stopWatchingAccess = withdrawal ? watchAccess(caller, withdrawal) : nothing
      return () => {
        stopWatching()
        stopWatchingAccess()
        leave()
        release()
        if (endings.size === 0) for (const callback of waiting) callback()
      }
    },
    /** Says that we are about to shut down, while requests are still taken. */
    announceDrain: (): void => {
      isDraining = true
    },
    isDraining: (): boolean => isDraining,

    count: (): number => endings.size,

    /** Waits until all are over; those that are not by then are ended. */
    drain: async (ms: number): Promise<void> => {
      for (const ending of endings) ending.draining?.()
      if (endings.size === 0) return
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms)
        waiting.add(() => {
          clearTimeout(timer)
          resolve()
        })
      })
      for (const ending of endings) ending.shutDown()
    },
  }
}

export type InFlightRequests = ReturnType<typeof createInFlightRequests>
