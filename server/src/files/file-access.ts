import type { Database, Tx } from "../db/database.ts"
import { fail } from "../errors.ts"
import { mayManage, requireOwner } from "../grants/access.ts"
import { rejectServiceKeys } from "../grants/reject-service-keys.ts"
import type { Caller } from "../http/caller.ts"
import { translatable } from "../i18n/message.ts"
import { rejectOwnerBeingDeleted } from "../users/reject-owner-being-deleted.ts"
import { userLock } from "../users/user-lock.ts"
import type { FileHooks } from "./file-hooks.ts"
import type { FileStore, StoredFile } from "./file-store.ts"

export interface FileAccessDeps {
  db: Database
  store: FileStore
  hooks: Pick<FileHooks, "filterShared">
}

export const failFileNotFound = (): never => fail("not_found", translatable("file_not_found"))

/** Who may read and change files: their owners and administrators, and readers of what is shared. */
export interface FileAccess {
  /** @throws {Failure} `forbidden` for service keys, which read no files */
  find(caller: Caller, id: string): Promise<StoredFile | undefined>
  getReadable(caller: Caller, id: string): Promise<StoredFile>
  getOwned(caller: Caller, id: string): Promise<StoredFile>
  /**
   * The files among `ids` that the caller can read; uses a constant number of queries per chunk.
   */
  filterReadable(caller: Caller, ids: readonly string[]): Promise<Set<string>>
  /** Those among `ids` that were not deleted, whether or not somebody can read them. */
  filterExisting(ids: readonly string[]): Promise<Set<string>>
  /** @throws {Failure} `not_found` or `forbidden` for the first id the caller does not own */
  checkOwned(caller: Caller, ids: readonly string[]): Promise<void>
  /** As `checkOwned`; the files keep their owners until `tx` ends. */
  lockOwned(tx: Tx, caller: Caller, ids: readonly string[]): Promise<void>
}

export const createFileAccess = ({ db, store, hooks }: FileAccessDeps): FileAccess => {
  const find: FileAccess["find"] = async (caller, id) => {
    rejectServiceKeys(caller)
    const file = await store.byId(id)
    if (!file) return undefined
    if (mayManage(file, caller)) return file
    return (await hooks.filterShared(caller, [id])).length > 0 ? file : undefined
  }

  const getReadable: FileAccess["getReadable"] = async (caller, id) =>
    (await find(caller, id)) ?? failFileNotFound()

  const getOwned: FileAccess["getOwned"] = async (caller, id) => {
    const file = await getReadable(caller, id)
    requireOwner(file, caller, translatable("file_owner_only"))
    return file
  }

  return {
    find,
    getReadable,
    getOwned,

    filterReadable: async (caller, ids) => {
      const found = await store.owners(ids)
      const idsOf = (files: typeof found): string[] => files.map(({ id }) => id)
      const owned = found.filter((file) => mayManage(file, caller))
      const others = found.filter((file) => !mayManage(file, caller))
      return new Set([...idsOf(owned), ...(await hooks.filterShared(caller, idsOf(others)))])
    },

    filterExisting: async (ids) => new Set((await store.owners(ids)).map(({ id }) => id)),

    checkOwned: async (caller, ids) => {
      const found = await store.owners(ids)
      const owned = new Set(found.filter((file) => mayManage(file, caller)).map(({ id }) => id))
      const first = ids.find((id) => !owned.has(id))
      if (first !== undefined) await getOwned(caller, first)
    },

    lockOwned: async (tx, caller, ids) => {
      const owners = new Set((await store.owners(ids, tx)).map(({ user_id }) => user_id))
      for (const owner of [...owners].sort()) {
        await db.acquireLock(tx, userLock(owner))
        await rejectOwnerBeingDeleted(tx, owner)
      }
      const owned = (await store.owners(ids, tx)).filter((file) => mayManage(file, caller))
      if (owned.length < ids.length) fail("conflict", "A file has a new owner. Try again.")
    },
  }
}
