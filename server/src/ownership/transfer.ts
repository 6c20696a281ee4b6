import type { AuditRecord } from "../audit/audit.ts"
import type { Database, Reader, Tx } from "../db/database.ts"
import { fail, failInvalid } from "../errors.ts"
import { type OwnedObject, requireOwner } from "../grants/access.ts"
import type { Actor, Caller, RefreshCaller } from "../http/caller.ts"
import { translatable } from "../i18n/message.ts"
import type { StorageQuota } from "../storage/storage-quota.ts"
import type { UserStore } from "../users/store.ts"
import { userLock } from "../users/user-lock.ts"
import type { StoredUser } from "../users/user-rows.ts"

/** Everything of one kind that an account hands over, in the transaction that locked both accounts. */
export interface AccountTransfer {
  from: StoredUser
  to: StoredUser
  /** The group that may use and change everything from now on; null if one person takes over. */
  groupId: string | null
}

/** What one noun contributes to the deletion of an account. */
export interface TransferableObjects {
  type: string
  /** Bytes that count toward the new owner's storage. */
  bytes: (reader: Reader, ownerId: string) => Promise<number>
  /** @returns the ids of the objects that were handed over. @throws {Failure} */
  transferAll: (tx: Tx, transfer: AccountTransfer) => Promise<readonly string[]>
}

interface Deps {
  db: Database
  userStore: UserStore
  storage: StorageQuota
  audit: { record: (tx: Tx, record: AuditRecord) => Promise<void> }
  refreshCaller: RefreshCaller
}

interface ObjectTransfer<T extends OwnedObject> {
  actor: Actor
  caller: Caller
  /** As in a `TransferRequest`. */
  transferTo: string
  target: { type: string; id: string }
  /** Reads the object with its access for the caller. @throws {Failure} `not_found` */
  read: (caller: Caller, reader?: Tx) => Promise<T>
  bytes: (object: T) => Promise<number>
  /** Locks the object until `tx` ends. */
  lock: (tx: Tx) => Promise<void>
  /** Writes the new owner; limits and grants are up to the noun. */
  write: (tx: Tx, object: T, to: StoredUser) => Promise<void>
}

const onlyOwnerTransfers = translatable("transfer_not_allowed")

/** Hands objects over to another account. */
export interface Transfers {
  /** Locks accounts in a fixed order, so that concurrent transfers do not wait for each other. */
  lockUsers(tx: Tx, ids: readonly string[]): Promise<void>
  /** Reads the new owner after `lockUsers`. @throws {Failure} `invalid` */
  readNewOwner(tx: Tx, id: string): Promise<StoredUser>
  findNewOwner(idOrEmail: string): Promise<StoredUser>
  /**
   * Hands one object over. Its grants stay; the previous owner keeps only what these allow.
   * @throws {Failure} `forbidden`, `invalid`, `conflict`, `storage_limit`, `limit_reached`
   */
  transferObject<T extends OwnedObject>(transfer: ObjectTransfer<T>): Promise<void>
}

export const createTransfers = (deps: Deps): Transfers => {
  const { db, userStore, storage, audit, refreshCaller } = deps

  /** @throws {Failure} `invalid` if the account cannot own anything */
  const requireNewOwner = (user: StoredUser | undefined): StoredUser => {
    if (!user || user.hidden || user.deleted_at !== null)
      return failInvalid("transfer_to", translatable("account_not_found"))
    if (!user.active || user.role === "pending")
      failInvalid("transfer_to", translatable("person_not_active", { name: user.name }))
    return user
  }

  const findUser = async (idOrEmail: string, reader?: Reader): Promise<StoredUser | undefined> =>
    idOrEmail.includes("@")
      ? userStore.byEmail(idOrEmail, reader)
      : userStore.byId(idOrEmail, reader)

  const lockUsers = async (tx: Tx, ids: readonly string[]): Promise<void> => {
    for (const id of [...new Set(ids)].sort()) await db.acquireLock(tx, userLock(id))
  }

  const readNewOwner = async (tx: Tx, id: string): Promise<StoredUser> =>
    requireNewOwner(await userStore.byId(id, tx))

  return {
    lockUsers,
    readNewOwner,
    findNewOwner: async (idOrEmail) => requireNewOwner(await findUser(idOrEmail)),

    transferObject: async <T extends OwnedObject>(transfer: ObjectTransfer<T>): Promise<void> => {
      const { actor, caller, target } = transfer
      const known = await transfer.read(caller)
      requireOwner(known, caller, onlyOwnerTransfers)
      const { id } = requireNewOwner(await findUser(transfer.transferTo))
      const addition = {
        owner: id,
        addedBy: caller.user.id,
        movedFrom: known.user_id,
        bytes: await transfer.bytes(known),
      }
      await storage.writeWithinLimit([addition], () =>
        db.transact(async (tx) => {
          await transfer.lock(tx)
          const refreshed = await refreshCaller(tx, caller)
          const object = await transfer.read(refreshed, tx)
          requireOwner(object, refreshed, onlyOwnerTransfers)
          const { user_id } = object
          if (user_id !== known.user_id) fail("conflict", translatable("transfer_conflict"))
          await lockUsers(tx, [user_id, id])
          const to = await readNewOwner(tx, id)
          if (user_id === id)
            failInvalid("transfer_to", translatable("person_is_owner", { name: to.name }))
          await transfer.write(tx, object, to)
          await audit.record(tx, {
            actor,
            action: `${target.type}.transferred`,
            target,
            changed: ["user_id"],
            before: { user_id },
            after: { user_id: id },
          })
        }),
      )
    },
  }
}
