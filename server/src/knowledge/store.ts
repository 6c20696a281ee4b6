import type { Selectable } from "kysely"
import { readInChunks } from "../db/chunks.ts"
import type { Database, Reader, Tx } from "../db/database.ts"
import type { CollectionRow } from "../db/file-tables.ts"
import { contains, foldCase } from "../db/text.ts"
import type { Grants } from "../grants/grants.ts"
import type { AccessGrant } from "../grants/schema.ts"
import type { Caller } from "../http/caller.ts"
import type { Page } from "../http/list.ts"
import { type Collection, type CollectionListQuery, SearchWay } from "./schema.ts"

const rowsPerStatement = 300

const toCollection = (
  { name_key, ...row }: Selectable<CollectionRow>,
  access_grants: AccessGrant[],
): Collection => ({ ...row, search: SearchWay.parse(row.search), access_grants })

export const createCollectionStore = ({ db, grants }: { db: Database; grants: Grants }) => {
  /** Ids of the collections that a caller's grants or ownership open. */
  const openTo = ({ user, groups }: Caller) => {
    const granted = db.read
      .selectFrom("access_grants")
      .select("resource_id")
      .where("resource_type", "=", "collection")
      .where((eb) => {
        const ways = [
          eb("principal_id", "=", "*"),
          eb.and([eb("principal_type", "=", "user"), eb("principal_id", "=", user.id)]),
        ]
        if (groups.size > 0) {
          const mine = eb("principal_id", "in", [...groups])
          ways.push(eb.and([eb("principal_type", "=", "group"), mine]))
        }
        return eb.or(ways)
      })
    let open = db.read.selectFrom("collections")
    if (user.role !== "admin") {
      open = open.where((eb) =>
        eb.or([eb("collections.user_id", "=", user.id), eb("collections.id", "in", granted)]),
      )
    }
    return open
  }

  return {
    byId: async (id: string, reader: Reader = db.read): Promise<Collection | undefined> => {
      const row = await reader
        .selectFrom("collections")
        .selectAll()
        .where("id", "=", id)
        .executeTakeFirst()
      return row && toCollection(row, await grants.of("collection", id, reader))
    },

    list: async (caller: Caller, query: CollectionListQuery): Promise<Page<Collection>> => {
      let matching = openTo(caller)
      if (query.query) matching = matching.where(contains("name_key", query.query))
      const { total } = await matching
        .select(({ fn }) => fn.countAll<number>().as("total"))
        .executeTakeFirstOrThrow()
      const rows = await matching
        .selectAll("collections")
        .orderBy(query.order_by === "name" ? "name_key" : query.order_by, query.direction)
        .orderBy("id", query.direction)
        .limit(query.page_size)
        .offset((query.page - 1) * query.page_size)
        .execute()
      const items = await Promise.all(
        rows.map(async (row) => toCollection(row, await grants.of("collection", row.id))),
      )
      return { items, total }
    },

    /** Whether a file lies in a collection that is open to the caller. */
    shares: async (caller: Caller, fileId: string): Promise<boolean> => {
      const found = await openTo(caller)
        .innerJoin("collection_files", "collection_files.collection_id", "collections.id")
        .where("collection_files.file_id", "=", fileId)
        .select("collections.id")
        .limit(1)
        .executeTakeFirst()
      return found !== undefined
    },

    /** The files among `fileIds` that lie in a collection that is open to the caller. */
    sharedFiles: async (caller: Caller, fileIds: readonly string[]): Promise<string[]> => {
      const rows = await readInChunks(fileIds, (chunk) =>
        openTo(caller)
          .innerJoin("collection_files", "collection_files.collection_id", "collections.id")
          .where("collection_files.file_id", "in", chunk)
          .select("collection_files.file_id")
          .distinct()
          .execute(),
      )
      return rows.map(({ file_id }) => file_id)
    },

    /** The collections among `ids` that are open to the caller. */
    readableAmong: async (caller: Caller, ids: readonly string[]): Promise<Set<string>> => {
      const rows = await readInChunks(ids, (chunk) =>
        openTo(caller).where("collections.id", "in", chunk).select("collections.id").execute(),
      )
      return new Set(rows.map(({ id }) => id))
    },

    /** The collections that a file lies in and that are open to the caller, by name. */
    holding: (caller: Caller, fileId: string): Promise<{ id: string; name: string }[]> =>
      openTo(caller)
        .innerJoin("collection_files", "collection_files.collection_id", "collections.id")
        .where("collection_files.file_id", "=", fileId)
        .select(["collections.id", "collections.name"])
        .orderBy("name_key")
        .execute(),

    /** Every collection that a file lies in, with who may read it. */
    around: async (fileId: string): Promise<Collection[]> => {
      const rows = await db.read
        .selectFrom("collections")
        .innerJoin("collection_files", "collection_files.collection_id", "collections.id")
        .where("collection_files.file_id", "=", fileId)
        .selectAll("collections")
        .execute()
      return Promise.all(
        rows.map(async (row) => toCollection(row, await grants.of("collection", row.id))),
      )
    },

    insert: async (tx: Tx, { access_grants, ...collection }: Collection): Promise<void> => {
      const row = { ...collection, name_key: foldCase(collection.name) }
      await tx.insertInto("collections").values(row).execute()
      await grants.replace(tx, "collection", collection.id, access_grants)
    },

    update: async (tx: Tx, { access_grants, id, ...collection }: Collection): Promise<boolean> => {
      const row = { ...collection, name_key: foldCase(collection.name) }
      const found = await tx
        .updateTable("collections")
        .set(row)
        .where("id", "=", id)
        .returning("id")
        .execute()
      await grants.replace(tx, "collection", id, access_grants)
      return found.length > 0
    },

    remove: async (tx: Tx, id: string): Promise<boolean> => {
      const gone = await tx.deleteFrom("collections").where("id", "=", id).returning("id").execute()
      await grants.replace(tx, "collection", id, [])
      return gone.length > 0
    },

    link: async (tx: Tx, id: string, fileIds: readonly string[], at: number): Promise<void> => {
      for (let from = 0; from < fileIds.length; from += rowsPerStatement) {
        const some = fileIds.slice(from, from + rowsPerStatement)
        await tx
          .insertInto("collection_files")
          .values(some.map((file_id) => ({ collection_id: id, file_id, added_at: at })))
          .onConflict((conflict) => conflict.doNothing())
          .execute()
      }
    },

    /** @param fileId null takes all out */
    unlink: async (tx: Tx, id: string, fileId: string | null): Promise<boolean> => {
      let leaving = tx.deleteFrom("collection_files").where("collection_id", "=", id)
      if (fileId !== null) leaving = leaving.where("file_id", "=", fileId)
      return (await leaving.returning("file_id").execute()).length > 0
    },

    touch: async (tx: Tx, id: string, updated_at: number): Promise<void> => {
      await tx.updateTable("collections").set({ updated_at }).where("id", "=", id).execute()
    },
  }
}

export type CollectionStore = ReturnType<typeof createCollectionStore>
