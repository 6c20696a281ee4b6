import type { Bus } from "../bus/bus.ts"
import type { Caller } from "../http/caller.ts"
import { Roster } from "../http/unordered-list.ts"
import type { AuthStore } from "./store.ts"

/** An in-flight request and how to end it. */
interface Running {
  caller: Caller
  end: () => void
}

const retryMs = 1000
const maxEntries = 10_000

/** Ends in-flight requests as soon as their credential is revoked, on every process. */
export const createLive = ({ store, bus }: { store: AuthStore; bus: Bus }) => {
  const runningByUser = new Map<string, Roster<Running>>()
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

  const changedSince = ({ user, confirmed_at }: Caller): boolean =>
    Math.max(changedAtByUser.get(user.id) ?? changedAt, changedAt) >= confirmed_at

  const stillValid = async ({ credential }: Caller): Promise<boolean> => {
    const holder =
      credential.type === "key"
        ? await store.byKeyId(credential.id)
        : await store.bySession(credential.id)
    return holder !== undefined && holder.user.role !== "pending"
  }

  const recheck = async (userId: string): Promise<void> => {
    const verdicts = new Map<string, boolean>()
    for (const running of runningByUser.get(userId) ?? []) {
      const { id } = running.caller.credential
      const valid = verdicts.get(id) ?? (await stillValid(running.caller))
      verdicts.set(id, valid)
      if (!valid) running.end()
    }
  }

  /** Without the database, no change can be made either; retry until the check succeeds. */
  const recheckUntilKnown = (userId: string): void => {
    recheck(userId).catch(() => setTimeout(() => recheckUntilKnown(userId), retryMs).unref())
  }

  /** Kept when its last request ends: adding and removing map entries per request is expensive. */
  const rosterOf = (userId: string): Roster<Running> => {
    const known = runningByUser.get(userId)
    if (known) return known
    if (runningByUser.size >= maxEntries) {
      for (const [id, { size }] of runningByUser) if (size === 0) runningByUser.delete(id)
    }
    const roster = new Roster<Running>()
    runningByUser.set(userId, roster)
    return roster
  }

  bus.subscribe((message) => {
    if (message.topic === "user") {
      noteChange(message.id)
      recheckUntilKnown(message.id)
    }
    if (message.topic === "reset") {
      changedAt = performance.now()
      for (const id of runningByUser.keys()) recheckUntilKnown(id)
    }
  })

  return {
    /**
     * Calls `end` when the caller's credential becomes invalid. @returns a function that stops
     * watching
     */
    watch: (caller: Caller, end: () => void): (() => void) => {
      const { id } = caller.user
      const leave = rosterOf(id).enter({ caller, end })
      // The revocation may have happened while the request body arrived.
      if (changedSince(caller)) recheckUntilKnown(id)
      return leave
    },
  }
}
