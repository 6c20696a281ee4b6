import type { Bus } from "../bus/bus.ts"
import { readInChunks } from "../db/chunked-queries.ts"
import type { Database, Reader, Tx } from "../db/database.ts"
import type { RowLimits } from "../db/row-limits.ts"
import type { Actor, Caller } from "../http/caller.ts"
import { readOwnedFiles } from "../ownership/owned-files.ts"
import type { TransferableObjects, Transfers } from "../ownership/transfer.ts"
import { failFileNotFound } from "./file-access.ts"
import { createFileStore, type StoredFile } from "./file-store.ts"
import type { Files } from "./files.ts"

interface Deps {
  db: Database
  bus: Bus
  rowLimits: RowLimits
  transfers: Transfers
  files: Pick<Files, "getReadable">
}

type OwnedFile = Pick<StoredFile, "id" | "size" | "text_length">

/** A file's share of its owner's storage. */
export const fileBytes = ({ size, text_length }: Omit<OwnedFile, "id">): number =>
  size + (text_length ?? 0)

/** A user's files that are in any collection; others were only used by their owner. */
const readCollectedFiles = async (reader: Reader, ownerId: string): Promise<OwnedFile[]> => {
  const found: OwnedFile[] = []
  for await (const page of readOwnedFiles(reader, ownerId)) {
    const ids = page.map(({ id }) => id)
    const links = reader.selectFrom("collection_files").select("file_id").distinct()
    const rows = await links.where("file_id", "in", ids).execute()
    const collected = new Set(rows.map(({ file_id }) => file_id))
    found.push(...page.filter(({ id }) => collected.has(id)))
  }
  return found
}

/** Hands files over to another owner, with their share of the storage. */
export interface FileOwnershipTransfer {
  all: TransferableObjects
  /** @throws {Failure} `limit_reached` */
  changeOwner(tx: Tx, ids: readonly string[], userId: string): Promise<void>
  /** Hands one file over. It stays in its collections. */
  transfer(
    actor: Actor,
    caller: Caller,
    request: { id: string; transfer_to: string },
  ): Promise<void>
}

export const createFileOwnershipTransfer = (deps: Deps): FileOwnershipTransfer => {
  const { db, bus, rowLimits, transfers, files } = deps
  const store = createFileStore(db)

  const changeOwner: FileOwnershipTransfer["changeOwner"] = async (tx, ids, user_id) => {
    if (ids.length === 0) return
    const limited = { owner: user_id, added: ids.length, isNewOwner: true }
    await rowLimits.lockAndCheck(tx, "files", limited)
    await readInChunks(ids, (chunk) =>
      tx.updateTable("files").set({ user_id }).where("id", "in", chunk).returning("id").execute(),
    )
  }

  const all: TransferableObjects = {
    type: "file",
    bytes: async (reader, ownerId) =>
      (await readCollectedFiles(reader, ownerId)).reduce((sum, file) => sum + fileBytes(file), 0),
    transferAll: async (tx, { from, to }) => {
      const ids = (await readCollectedFiles(tx, from.id)).map(({ id }) => id)
      await changeOwner(tx, ids, to.id)
      return ids
    },
  }

  return {
    all,
    changeOwner,

    transfer: (actor, caller, { id, transfer_to }) =>
      transfers.transferObject<StoredFile>({
        ...{ actor, caller, transferTo: transfer_to, target: { type: "file", id } },
        read: async (reader, tx) => {
          if (!tx) return files.getReadable(reader, id)
          return (await store.byId(id, tx)) ?? failFileNotFound()
        },
        bytes: async (file) => fileBytes(file),
        lock: (tx) => db.acquireLock(tx, `file:${id}`),
        write: async (tx, file, to) => {
          await changeOwner(tx, [id], to.id)
          for (const user_id of [file.user_id, to.id]) {
            await bus.publish(tx, { topic: "files", user_id, id })
          }
        },
      }),
  }
}
