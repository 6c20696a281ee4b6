import type { Bus } from "../../bus/bus.ts"
import { readInChunks } from "../../db/chunked-queries.ts"
import type { Database, Reader, Tx } from "../../db/database.ts"
import { maxRows } from "../../db/max-rows.ts"
import type { RowLimits } from "../../db/row-limits.ts"
import { fail } from "../../errors.ts"
import { type FileOwnershipTransfer, fileBytes } from "../../files/ownership-transfer.ts"
import { requireReadable } from "../../grants/access.ts"
import type { Grants } from "../../grants/grants.ts"
import type { Actor, Caller } from "../../http/caller.ts"
import type { TransferableObjects, Transfers } from "../../ownership/transfer.ts"
import { accessMessages } from "../failures.ts"
import type { Collection } from "../schema.ts"
import { type CollectionStore, lockOfCollection } from "./collection-store.ts"

interface Deps {
  db: Database
  bus: Bus
  grants: Grants
  rowLimits: RowLimits
  store: CollectionStore
  /** The bytes of all questions of a collection. */
  questionBytes: (id: string) => Promise<number>
  transfers: Transfers
  fileTransfer: FileOwnershipTransfer
  now: () => number
}

/** Hands collections over to another owner, with the files that only they contain. */
export const createCollectionTransfer = (deps: Deps) => {
  const { db, bus, grants, rowLimits, store, transfers, fileTransfer, now } = deps

  /** Those of the files that are in another collection of the same owner. */
  const readSharedIds = async (
    reader: Reader,
    { id, user_id }: Pick<Collection, "id" | "user_id">,
    fileIds: readonly string[],
  ): Promise<ReadonlySet<string>> => {
    const links = await reader
      .selectFrom("collection_files")
      .innerJoin("collections", "collections.id", "collection_files.collection_id")
      .select("file_id")
      .where("file_id", "in", fileIds)
      .where("collections.id", "!=", id)
      .where("collections.user_id", "=", user_id)
      .execute()
    return new Set(links.map(({ file_id }) => file_id))
  }

  /** The owner's files that only this one of their collections contains. */
  const readOwnFiles = async (reader: Reader, collection: Collection) => {
    const found: { id: string; size: number; text_length: number | null }[] = []
    for await (const ids of store.links.pages(reader, collection.id)) {
      const elsewhere = await readSharedIds(reader, collection, ids)
      const files = await reader
        .selectFrom("files")
        .select(["id", "size", "text_length"])
        .where("id", "in", ids)
        .where("user_id", "=", collection.user_id)
        .execute()
      found.push(...files.filter((file) => !elsewhere.has(file.id)))
    }
    return found
  }

  /** @throws {Failure} `limit_reached` */
  const changeOwner = async (tx: Tx, ids: readonly string[], user_id: string): Promise<void> => {
    const limited = { owner: user_id, added: ids.length, isNewOwner: true }
    await rowLimits.lockAndCheck(tx, "collections", limited)
    const set = { user_id, updated_at: now() }
    await readInChunks(ids, (chunk) =>
      tx.updateTable("collections").set(set).where("id", "in", chunk).returning("id").execute(),
    )
    const max = maxRows.collectionFilesPerUser
    if ((await store.links.count(user_id, tx)) <= max) return
    const limit = `the limit is ${max.toLocaleString("en")}`
    fail("limit_reached", `The new owner's collections would contain too many files; ${limit}.`)
  }

  const all: TransferableObjects = {
    type: "collection",
    bytes: async () => 0,
    transferAll: async (tx, { from, to, groupId }) => {
      const query = tx.selectFrom("collections").select("id").where("user_id", "=", from.id)
      const ids = (await query.orderBy("id").execute()).map(({ id }) => id)
      if (ids.length === 0) return ids
      await changeOwner(tx, ids, to.id)
      if (groupId !== null) await grants.addForGroup(tx, { type: "collection", ids, groupId })
      for (const id of ids) await bus.publish(tx, { topic: "collections", user_id: to.id, id })
      return ids
    },
  }

  return {
    all,
    transfer: (
      actor: Actor,
      caller: Caller,
      { id, transfer_to }: { id: string; transfer_to: string },
    ): Promise<void> =>
      transfers.transferObject<Collection>({
        ...{ actor, caller, transferTo: transfer_to, target: { type: "collection", id } },
        read: async (reader, tx) =>
          requireReadable(await store.byId(id, tx), reader, accessMessages),
        bytes: async (collection) => {
          const files = await readOwnFiles(db.backgroundReader, collection)
          const ofQuestions = await deps.questionBytes(collection.id)
          return files.reduce((sum, file) => sum + fileBytes(file), ofQuestions)
        },
        lock: (tx) => db.acquireLock(tx, lockOfCollection(id)),
        write: async (tx, collection, to) => {
          const files = await readOwnFiles(tx, collection)
          await changeOwner(tx, [id], to.id)
          const fileIds = files.map((file) => file.id)
          await fileTransfer.changeOwner(tx, fileIds, to.id)
          for (const user_id of [collection.user_id, to.id]) {
            await bus.publish(tx, { topic: "collections", user_id, id })
          }
        },
      }),
  }
}

export type CollectionTransfer = ReturnType<typeof createCollectionTransfer>
