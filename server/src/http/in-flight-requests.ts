import { setTimeout as sleep } from "node:timers/promises"
import type { BackgroundTasks } from "../background/background-tasks.ts"
import type { Bus } from "../bus/bus.ts"
import type { UserLimits } from "../concurrency/user-limits.ts"
import { catchErrors, reportUnhandled } from "../errors.ts"
import type { AuthenticatedCredential, Caller, UserAccess } from "./caller.ts"
import { UnorderedList } from "./unordered-list.ts"

/** How the gateway ends a request in progress. */
export interface InFlightHandlers {
  /** The request's credential was revoked. */
  revoke: () => void
  /** The gateway is shutting down and the time to finish has passed. */
  shutDown: () => void
  /** The gateway starts to shut down; for requests that otherwise never end. */
  draining?: () => void
  /** For requests that use something their caller can lose access to. */
  accessRevocation?: {
    /** @param present the caller with their current role and groups */
    isDue: (present: Caller) => boolean
    end: () => void
  }
}

interface InFlightRequest {
  caller: Caller
  handlers: InFlightHandlers
}

interface Deps {
  background: BackgroundTasks
  bus: Bus
  /** Limits on concurrent requests. */
  limits: Pick<UserLimits, "requests" | "eventStreams">
  store: {
    /** The current access by credential id; credentials that are no longer valid have none. */
    accessByCredential: (
      credentials: readonly AuthenticatedCredential[],
    ) => Promise<ReadonlyMap<string, UserAccess>>
  }
}

/** Minimum pause between checks: provisioning changes many accounts in quick succession. */
const pauseMs = 200
/** Pause after a check that failed; without the database, no change can be made either. */
const retryMs = 1000
/** Number of users for whom the time of their last change is known. */
const maxEntries = 10_000

const endIfRevoked = ({ caller, handlers }: InFlightRequest, access?: UserAccess): void => {
  if (!access || access.role === "pending") {
    handlers.revoke()
    return
  }
  const { role, groups } = access
  const present = { ...caller, user: { ...caller.user, role }, groups }
  if (handlers.accessRevocation?.isDue(present)) handlers.accessRevocation.end()
}

/**
 * Tracks requests in progress: limits their number, ends them as soon as their credential or the
 * access they rely on is revoked, on every process, and lets shutdown wait for them or end them.
 */
export interface InFlightRequests {
  /**
   * Calls none of the handlers before the current tick ends.
   * @returns a function to call when the request ends; repeated calls have no effect
   * @throws {Failure} `rate_limited` if the user, or all users together, have too many
   */
  track(caller: Caller, handlers: InFlightHandlers, kind?: "requests" | "eventStreams"): () => void
  /** Call after a change of grants has taken effect. */
  recheckAccess(): void
  /** Announces the shutdown while requests are still accepted. */
  announceDrain(): void
  isDraining(): boolean
  count(): number
  /**
   * Waits until no request can follow and all have ended, and ends those that remain after `ms`.
   * @param closed resolves when the server's connections are closed, soon after `ms` at the latest
   */
  drain(ms: number, closed: Promise<unknown>): Promise<void>
}

export const createInFlightRequests = ({
  background,
  bus,
  limits,
  store,
}: Deps): InFlightRequests => {
  const requests = new UnorderedList<InFlightRequest>()
  const idleCallbacks = new Set<() => void>()
  let isDraining = false
  let isEnding = false
  /** When each user was last changed; for users not in the map, `changedAt` applies. */
  const changedAtByUser = new Map<string, number>()
  let changedAt = Number.NEGATIVE_INFINITY
  let isStale = false
  let isChecking = false

  const noteChange = (userId: string): void => {
    if (changedAtByUser.size >= maxEntries) {
      changedAtByUser.clear()
      changedAt = performance.now()
    }
    changedAtByUser.set(userId, performance.now())
  }

  const hasChangedSince = ({ user, confirmed_at }: Caller): boolean =>
    Math.max(changedAtByUser.get(user.id) ?? changedAt, changedAt) >= confirmed_at

  const endRevoked = async (): Promise<void> => {
    const credentialById = new Map<string, AuthenticatedCredential>()
    for (const { caller } of requests) credentialById.set(caller.credential.id, caller.credential)
    const accessById = await store.accessByCredential([...credentialById.values()])
    for (const request of requests) {
      const { id } = request.caller.credential
      // Other requests were tracked meanwhile; they request a check themselves if necessary.
      if (!credentialById.has(id)) continue
      catchErrors(() => endIfRevoked(request, accessById.get(id)), reportUnhandled)
    }
  }

  const checkWhileStale = async (): Promise<void> => {
    isChecking = true
    while (isStale) {
      isStale = false
      const succeeded = await background.runInBackground("end revoked requests", endRevoked)
      isStale ||= !succeeded
      await sleep(succeeded ? pauseMs : retryMs, undefined, { ref: false })
    }
    isChecking = false
  }

  /** Checks immediately, and then at most once per `pauseMs`. */
  const recheckAccess = (): void => {
    if (requests.size === 0) return
    isStale = true
    if (!isChecking) void checkWhileStale()
  }

  bus.subscribe("mark changed users", (message) => {
    if (message.topic === "user") noteChange(message.id)
    else if (message.topic === "groups" || message.topic === "reset") changedAt = performance.now()
    else return
    recheckAccess()
  })

  return {
    track: (caller, handlers, kind = "requests") => {
      const release = limits[kind].reserve(caller.user.id)
      const remove = requests.add({ caller, handlers })
      // The revocation may have happened while the request body arrived.
      if (hasChangedSince(caller)) recheckAccess()
      // A request of which a part had arrived before the shutdown.
      if (isEnding) setImmediate(() => catchErrors(() => handlers.draining?.(), reportUnhandled))
      return () => {
        remove()
        release()
        if (requests.size === 0) for (const callback of idleCallbacks) callback()
      }
    },

    recheckAccess,

    announceDrain: () => {
      isDraining = true
    },
    isDraining: () => isDraining,
    count: () => requests.size,

    drain: async (ms, closed) => {
      isEnding = true
      for (const { handlers } of requests) handlers.draining?.()
      let timer: NodeJS.Timeout | undefined
      const ended = new Promise<void>((resolve) => {
        timer = setTimeout(() => {
          for (const { handlers } of requests)
            catchErrors(() => handlers.shutDown(), reportUnhandled)
          resolve()
        }, ms)
      })
      await closed
      const idle = new Promise<void>((resolve) => {
        if (requests.size === 0) resolve()
        else idleCallbacks.add(resolve)
      })
      await Promise.race([ended, idle])
      clearTimeout(timer)
    },
  }
}
