import type { UserLimits } from "../limits/user-limits.ts"
import type { Caller } from "./caller.ts"
import { UnorderedList } from "./unordered-list.ts"

/** Ends a request when its caller loses access to something the request uses. */
export interface AccessRevocation {
  /** @param present the caller with their current role and groups */
  isDue: (present: Caller) => boolean
  end: () => void
}

/** How the gateway ends a request in progress. */
export interface InFlightHandlers {
  /** The request's credential was revoked. */
  revoke: () => void
  /** The gateway is shutting down and the time to finish has passed. */
  shutDown: () => void
  /** The gateway starts to shut down; for requests that otherwise never end. */
  draining?: () => void
  /** For requests that use something their caller can lose access to. */
  accessRevocation?: AccessRevocation
}

/** Calls `revoked` when the caller's credential becomes invalid. @returns how to stop watching */
export type WatchCredential = (caller: Caller, revoked: () => void) => () => void

/** Calls `accessRevocation.end` when it is due. @returns how to stop watching */
export type WatchAccess = (caller: Caller, accessRevocation: AccessRevocation) => () => void

/** Limits on concurrent requests. */
export type InFlightLimits = Pick<UserLimits, "requests" | "eventStreams">

interface Deps {
  watch: WatchCredential
  watchAccess: WatchAccess
  limits: InFlightLimits
}

const noop = (): void => {}

/** Tracks requests in progress so that shutdown and revocation can wait for them or end them. */
export const createInFlightRequests = ({ watch, watchAccess, limits }: Deps) => {
  const handlers = new UnorderedList<InFlightHandlers>()
  const drainCallbacks = new Set<() => void>()
  let isDraining = false

  return {
    /**
     * @returns a function to call when the request ends
     * @throws {Failure} `rate_limited` if the user, or all users together, have too many
     */
    track: (
      caller: Caller,
      handler: InFlightHandlers,
      kind: "requests" | "eventStreams" = "requests",
    ): (() => void) => {
      const release = limits[kind].reserve(caller.user.id)
      const leave = handlers.add(handler)
      const stopWatching = watch(caller, handler.revoke)
      const { accessRevocation } = handler
      const stopWatchingAccess = accessRevocation ? watchAccess(caller, accessRevocation) : noop
      return () => {
        stopWatching()
        stopWatchingAccess()
        leave()
        release()
        if (handlers.size === 0) for (const callback of drainCallbacks) callback()
      }
    },
    /** Announces the shutdown while requests are still accepted. */
    announceDrain: (): void => {
      isDraining = true
    },
    isDraining: (): boolean => isDraining,

    count: (): number => handlers.size,

    /** Waits up to `ms` for all requests to end, then ends the remaining ones. */
    drain: async (ms: number): Promise<void> => {
      for (const handler of handlers) handler.draining?.()
      if (handlers.size === 0) return
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms)
        drainCallbacks.add(() => {
          clearTimeout(timer)
          resolve()
        })
      })
      for (const handler of handlers) handler.shutDown()
    },
  }
}

export type InFlightRequests = ReturnType<typeof createInFlightRequests>
