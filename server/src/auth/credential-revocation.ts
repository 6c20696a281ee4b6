import type { Bus } from "../bus/bus.ts"
import type { Caller } from "../http/caller.ts"
import { UnorderedList } from "../http/unordered-list.ts"
import type { AuthStore } from "./store.ts"

/** An in-flight request and how to end it. */
interface RevocableRequest {
  caller: Caller
  end: () => void
}

const retryMs = 1000
const maxEntries = 10_000

/** Ends in-flight requests as soon as their credential is revoked, on every process. */
export const createCredentialRevocation = ({ store, bus }: { store: AuthStore; bus: Bus }) => {
  const requestsByUser = new Map<string, UnorderedList<RevocableRequest>>()
  /** When each user's credentials last changed; for users not in the map, `changedAt` applies. */
  const changedAtByUser = new Map<string, number>()
  let changedAt = Number.NEGATIVE_INFINITY

  const noteChange = (userId: string): void => {
    if (changedAtByUser.size >= maxEntries) {
      changedAtByUser.clear()
      changedAt = performance.now()
    }
    changedAtByUser.set(userId, performance.now())
  }

  const hasChangedSince = ({ user, confirmed_at }: Caller): boolean =>
    Math.max(changedAtByUser.get(user.id) ?? changedAt, changedAt) >= confirmed_at

  const isStillValid = async ({ credential }: Caller): Promise<boolean> => {
    const holder =
      credential.type === "key"
        ? await store.byKeyId(credential.id)
        : await store.bySession(credential.id)
    return holder !== undefined && holder.user.role !== "pending"
  }

  const recheck = async (userId: string): Promise<void> => {
    const validById = new Map<string, boolean>()
    for (const request of requestsByUser.get(userId) ?? []) {
      const { id } = request.caller.credential
      const valid = validById.get(id) ?? (await isStillValid(request.caller))
      validById.set(id, valid)
      if (!valid) request.end()
    }
  }

  /** Without the database, no change can be made either; retry until the check succeeds. */
  const recheckUntilKnown = (userId: string): void => {
    recheck(userId).catch(() => setTimeout(() => recheckUntilKnown(userId), retryMs).unref())
  }

  /** Kept when its last request ends: adding and removing map entries per request is expensive. */
  const requestsOf = (userId: string): UnorderedList<RevocableRequest> => {
    const known = requestsByUser.get(userId)
    if (known) return known
    if (requestsByUser.size >= maxEntries) {
      for (const [id, { size }] of requestsByUser) if (size === 0) requestsByUser.delete(id)
    }
    const requests = new UnorderedList<RevocableRequest>()
    requestsByUser.set(userId, requests)
    return requests
  }

  bus.subscribe((message) => {
    if (message.topic === "user") {
      noteChange(message.id)
      recheckUntilKnown(message.id)
    }
    if (message.topic === "reset") {
      changedAt = performance.now()
      for (const id of requestsByUser.keys()) recheckUntilKnown(id)
    }
  })

  return {
    /**
     * Calls `end` when the caller's credential becomes invalid. @returns a function that stops
     * watching
     */
    watch: (caller: Caller, end: () => void): (() => void) => {
      const { id } = caller.user
      const stopWatching = requestsOf(id).add({ caller, end })
      // The revocation may have happened while the request body arrived.
      if (hasChangedSince(caller)) recheckUntilKnown(id)
      return stopWatching
    },
  }
}
