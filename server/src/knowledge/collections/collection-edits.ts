import type { Audit } from "../../audit/audit.ts"
import type { Bus } from "../../bus/bus.ts"
import type { Database, EssentialWrites, Tx } from "../../db/database.ts"
import { maxRows } from "../../db/max-rows.ts"
import type { RowLimits } from "../../db/row-limits.ts"
import { fail } from "../../errors.ts"
import type { CollectionUploads } from "../../files/collection-upload.ts"
import type { Files } from "../../files/files.ts"
import { requireOwner, requireWritable } from "../../grants/access.ts"
import { omitResentGrants } from "../../grants/omit-unchanged-grants.ts"
import type { RefreshCaller } from "../../http/caller.ts"
import { type DeletionConfirmation, requireUnused } from "../../http/in-use.ts"
import { translatable } from "../../i18n/message.ts"
import { type Affected, describeAffected } from "../../users/affected-objects.ts"
import { accessMessages, failCollectionNotFound } from "../failures.ts"
import type { Collection, CollectionChanges } from "../schema.ts"
import { type CollectionStore, lockOfCollection } from "./collection-store.ts"
import {
  type AuditEvent,
  createEditInTransaction,
  type Edit,
  type EditOutcome,
  type EditRequest,
} from "./edit-transaction.ts"

export interface Deps {
  db: Database
  bus: Bus
  audit: Audit
  store: CollectionStore
  files: Files
  rowLimits: RowLimits
  now: () => number
  refreshCaller: RefreshCaller
  /** The models that search a collection. */
  dependentsOf: (tx: Tx, collectionId: string) => Promise<Affected[]>
}

/** Maximum number of added file ids per request recorded in the audit log. */
const maxAuditedFiles = 100

const onlyOwnerShares =
  "Only the owner of this collection and administrators can change access_grants. Omit the field."
const onlyOwnerDeletes = "Only the owner of this collection and administrators can delete it."
const inUseReason = "Models search this collection."

/**
 * Edits of collections. Each edit locks its collection, re-reads it and the caller's permissions,
 * and writes only the fields sent, so that concurrent edits do not undo each other.
 */
export const createCollectionEdits = (deps: Deps) => {
  const { db, store, files, rowLimits, now } = deps

  const editInTransaction = createEditInTransaction({ ...deps, collections: store })

  const edit = (
    request: EditRequest,
    writes: EssentialWrites,
    work: (edit: Edit) => Promise<AuditEvent>,
  ): Promise<Collection> =>
    writes.transactLocked([lockOfCollection(request.id)], async (tx) => {
      await editInTransaction(tx, request, async (editing) => {
        return { value: undefined, event: await work(editing) }
      })
      return (await store.byId(request.id, tx)) ?? failCollectionNotFound()
    })

  /** Counts many rows and therefore runs before the transaction. */
  const checkLinkCount = async (owner: string, added: readonly string[]): Promise<void> => {
    if (added.length === 0) return
    const max = maxRows.collectionFilesPerUser
    if ((await store.links.count(owner)) + added.length <= max) return
    const limit = `The collections of one user can contain at most ${max.toLocaleString("en")} files`
    fail("limit_reached", `${limit} in total. Remove files from collections first.`)
  }

  const link = async (tx: Tx, id: string, added: readonly string[]): Promise<AuditEvent> => {
    if (added.length > 0) {
      await rowLimits.lockAndCheck(tx, "collectionFiles", { owner: id, added: added.length })
    }
    await store.links.add(tx, id, added, now())
    await touch(tx, id)
    const after = { count: added.length, files: added.slice(0, maxAuditedFiles) }
    return { action: "collection.files_added", after }
  }

  const touch = (tx: Tx, id: string): Promise<void> => store.update(tx, id, { updated_at: now() })

  /**
   * Removes very many files in short transactions, so that the edit that follows is short too. If
   * the process dies, a smaller collection remains.
   */
  const emptyIfLarge = async (
    request: EditRequest,
    locks: readonly string[],
    check: (edit: Edit) => Promise<void> = async () => {},
  ): Promise<void> => {
    const { id } = request
    if (!(await store.links.areMany(id))) return
    const checkEdit = async (editing: Edit): Promise<EditOutcome<void>> => {
      return { value: await check(editing), event: null }
    }
    await db.essential.transactLocked(locks, (tx) => editInTransaction(tx, request, checkEdit))
    await store.links.removeInBatches(id, lockOfCollection(id))
  }

  return {
    update: (request: EditRequest, requested: CollectionChanges): Promise<Collection> =>
      edit(request, db, async ({ tx, caller, before }) => {
        const changes = omitResentGrants(before, requested)
        if (changes.access_grants) requireOwner(before, caller, onlyOwnerShares)
        await store.update(tx, request.id, { ...changes, updated_at: now() })
        const { access_grants } = changes
        return {
          action: "collection.updated",
          changed: Object.keys(changes),
          ...(access_grants && {
            before: { access_grants: before.access_grants },
            after: { access_grants },
          }),
        }
      }),

    /** @throws {Failure} `in_use` if models search it, unless the deletion was confirmed */
    remove: async (request: EditRequest, confirmation: DeletionConfirmation): Promise<void> => {
      const locks = [lockOfCollection(request.id), "models"]
      const requireRemovable = async ({ tx, caller, before }: Edit): Promise<void> => {
        requireOwner(before, caller, onlyOwnerDeletes)
        const dependents = await deps.dependentsOf(tx, request.id)
        requireUnused(await describeAffected(tx, dependents), confirmation, inUseReason)
      }
      await emptyIfLarge(request, locks, requireRemovable)
      await db.essential.transactLocked(locks, (tx) =>
        editInTransaction(tx, request, async (editing) => {
          await requireRemovable(editing)
          await store.remove(tx, request.id)
          const before = { name: editing.before.name }
          return { value: undefined, event: { action: "collection.deleted", before } }
        }),
      )
    },

    /** Adds files in any processing state; files already in the collection are skipped. */
    addFiles: async (request: EditRequest, fileIds: readonly string[]): Promise<Collection> => {
      const { id, caller } = request
      const { user_id: owner } = requireWritable(await store.byId(id), caller, accessMessages)
      await files.checkOwned(caller, [...new Set(fileIds)])
      await checkLinkCount(owner, await store.links.missing(id, fileIds))
      return edit(request, db, async ({ tx, caller: refreshedCaller }) => {
        const added = await store.links.missing(id, fileIds, tx)
        await files.lockOwned(tx, refreshedCaller, added)
        return link(tx, id, added)
      })
    },

    uploads: {
      check: async ({ caller, id }) => {
        const { user_id: owner } = requireWritable(await store.byId(id), caller, accessMessages)
        await checkLinkCount(owner, [id])
      },
      addFile: (tx, request, file) =>
        editInTransaction(tx, request, async () => {
          const duplicateId = await store.links.fileOfBytes(tx, request.id, file.hash)
          if (duplicateId !== undefined) return { value: duplicateId, event: null }
          await file.store()
          return { value: file.id, event: await link(tx, request.id, [file.id]) }
        }),
    } satisfies CollectionUploads,

    /** Removes a file from the collection without deleting it. */
    removeFile: (request: EditRequest, fileId: string): Promise<Collection> =>
      edit(request, db.essential, async ({ tx }) => {
        const { id } = request
        if (!(await store.links.remove(tx, id, fileId)))
          fail("not_found", translatable("collection_file_not_found"))
        await touch(tx, id)
        return { action: "collection.file_removed", before: { files: [fileId] } }
      }),

    reset: async (request: EditRequest): Promise<Collection> => {
      await emptyIfLarge(request, [lockOfCollection(request.id)])
      return edit(request, db.essential, async ({ tx }) => {
        await store.links.removeAll(tx, request.id)
        await touch(tx, request.id)
        return { action: "collection.reset" }
      })
    },
  }
}
