import type { Bus } from "../bus/bus.ts"
import type { Caller } from "../http/caller.ts"
import { Roster } from "../http/unordered-list.ts"
import type { AuthStore } from "./store.ts"

/** A request that is still running, and how to end it. */
interface Running {
  caller: Caller
  end: () => void
}

const retryMs = 1000
const maxEntries = 10_000

/** Ends what runs under a credential as soon as the credential is revoked, on every process. */
export const createLive = ({ store, bus }: { store: AuthStore; bus: Bus }) => {
  const runningByUser = new Map<string, Roster<Running>>()
  /** When a user's credentials last changed; of users who are not in it, `changedAt` speaks. */
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

  /** While the database is away nobody can be revoked; what was asked is asked again. */
  const recheckUntilKnown = (userId: string): void => {
    recheck(userId).catch(() => setTimeout(() => recheckUntilKnown(userId), retryMs).unref())
  }

  /** Stays when its last request ends: a map that users enter and leave all the time never rests. */
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
    /** Calls `end` when the caller's credential stops being valid. @returns how to stop watching */
    watch: (caller: Caller, end: () => void): (() => void) => {
      const { id } = caller.user
      const leave = rosterOf(id).enter({ caller, end })
      // Its body may have taken long to arrive, and the revocation came meanwhile.
      if (changedSince(caller)) recheckUntilKnown(id)
      return leave
    },
  }
}
