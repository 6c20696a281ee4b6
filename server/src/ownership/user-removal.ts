import type { Audit } from "../audit/audit.ts"
import type { Bus } from "../bus/bus.ts"
import type { Database, Tx } from "../db/database.ts"
import { Failure, failInvalid } from "../errors.ts"
import type { GroupStore } from "../groups/store.ts"
import type { Actor, Caller } from "../http/caller.ts"
import { requireUnused } from "../http/in-use.ts"
import { translatable } from "../i18n/message.ts"
import type { StorageQuota } from "../storage/storage-quota.ts"
import { describeAffected } from "../users/affected-objects.ts"
import { grantsLock } from "../users/grant-removal.ts"
import type { Users } from "../users/users.ts"
import { createOwnedObjects } from "./owned-objects.ts"
import type { OwnedObjects, UserRemovalQuery } from "./schema.ts"
import type { TransferableObjects, Transfers } from "./transfer.ts"

interface Deps {
  db: Database
  bus: Bus
  audit: Audit
  users: Pick<Users, "get" | "lockUser" | "remove" | "waitForRemoval">
  groupStore: Pick<GroupStore, "byIdUncounted" | "listNames">
  storage: StorageQuota
  transfers: Transfers
  /** Deletes an account's models, which are not deleted with its row. */
  removeModels: (tx: Tx, ownerId: string) => Promise<void>
  /** Resolves when every change of models has taken effect. */
  waitForModels: () => Promise<void>
  /** What an account can hand over, in the order in which it is handed over. */
  transferable: readonly TransferableObjects[]
  findDependents: Parameters<typeof createOwnedObjects>[0]["findDependents"]
}

/** Who takes over what an account owns. */
interface Successor {
  userId: string
  /** Set if a group takes over: the administrator owns everything, and the group may change it. */
  groupId: string | null
}

interface RemovalRequest {
  actor: Actor
  caller: Caller
  id: string
  query: UserRemovalQuery
  /** False if nobody waits for the end of the deletion any more, which then continues. */
  isAwaited: () => boolean
}

/** Number of ids of each type that an audit event holds. */
const maxAuditedIds = 100

/** How often a deletion is repeated because the account stored more than was reserved. */
const maxTries = 3
const hasGrown = new Failure("conflict", translatable("account_still_adding_data"))

const reason =
  "Other people use what this account owns. Hand it over with transfer_to, the ID of an account or group."

/** Deletes accounts without taking away what other people use, unless that was confirmed. */
export const createUserRemoval = (deps: Deps) => {
  const { db, bus, audit, users, groupStore, storage, transfers } = deps
  const { transferable, removeModels, waitForModels } = deps
  const owned = createOwnedObjects(deps)

  const findSuccessor = async ({
    caller,
    id,
    query,
  }: RemovalRequest): Promise<Successor | null> => {
    const { transfer_to } = query
    if (transfer_to === undefined) return null
    const isGroup = (await groupStore.listNames([transfer_to])).length > 0
    const { id: userId } = await transfers.findNewOwner(isGroup ? caller.user.id : transfer_to)
    if (userId === id) failInvalid("transfer_to", translatable("remaining_account_required"))
    return { userId, groupId: isGroup ? transfer_to : null }
  }

  /** Bytes that the new owner will have to store. */
  const countBytes = async (reader: Parameters<TransferableObjects["bytes"]>[0], id: string) => {
    let total = 0
    for (const { bytes } of transferable) total += await bytes(reader, id)
    return total
  }

  const handOver = async (
    tx: Tx,
    { actor, id }: RemovalRequest,
    { successor, reserved }: { successor: Successor; reserved: number },
  ): Promise<void> => {
    const { userId, groupId } = successor
    const from = await users.lockUser(tx, id)
    const to = await transfers.readNewOwner(tx, userId)
    if (groupId !== null && !(await groupStore.byIdUncounted(tx, groupId)))
      failInvalid("transfer_to", translatable("group_deleted"))
    if ((await countBytes(tx, id)) > reserved) throw hasGrown
    const counts: Record<string, number> = {}
    const ids: Record<string, readonly string[]> = {}
    for (const { type, transferAll } of transferable) {
      const moved = await transferAll(tx, { from, to, groupId })
      if (moved.length === 0) continue
      counts[type] = moved.length
      ids[type] = moved.slice(0, maxAuditedIds)
    }
    const before = { user_id: id }
    const after = { user_id: userId, ...(groupId !== null && { group_id: groupId }), counts, ids }
    const target = { type: "user", id }
    await audit.record(tx, { actor, action: "user.objects_transferred", target, before, after })
  }

  /** Holds every lock under which something could become used by others before `tx` commits. */
  const lockObjects = async (tx: Tx, userIds: readonly string[]): Promise<void> => {
    await db.acquireLock(tx, "models")
    await transfers.lockUsers(tx, userIds)
    await db.acquireLock(tx, "settings")
    await db.acquireLock(tx, grantsLock)
  }

  const removeOnce = async (request: RemovalRequest): Promise<void> => {
    const { actor, id, query } = request
    const successor = await findSuccessor(request)
    const reserved = successor ? await countBytes(db.backgroundReader, id) : 0
    const addition = {
      owner: successor?.userId ?? id,
      addedBy: actor.id ?? "",
      movedFrom: id,
      bytes: reserved,
    }
    await storage.writeWithinLimit([addition], () =>
      users.remove(actor, id, async (tx) => {
        await lockObjects(tx, successor ? [id, successor.userId] : [id])
        if (successor) await handOver(tx, request, { successor, reserved })
        const inUse = await owned.readInUse(tx, id)
        requireUnused(await describeAffected(tx, inUse), query, reason)
        await removeModels(tx, id)
        await bus.publish(tx, { topic: "models", id: null })
      }),
    )
  }

  return {
    owned: async (id: string): Promise<OwnedObjects> => {
      await users.get(id)
      return owned.list(db.backgroundReader, id)
    },

    /**
     * Deletes the account. What others use is handed over, or deleted if that was confirmed.
     * @throws {Failure} `in_use`, `not_found`, `last_admin`, and those of handing over
     */
    remove: async (request: RemovalRequest): Promise<void> => {
      for (let tries = 1; ; tries++) {
        try {
          await removeOnce(request)
          await users.waitForRemoval(request.id, request.isAwaited)
          return await waitForModels()
        } catch (error) {
          if (error !== hasGrown || tries === maxTries) throw error
        }
      }
    },
  }
}

export type UserRemoval = ReturnType<typeof createUserRemoval>
