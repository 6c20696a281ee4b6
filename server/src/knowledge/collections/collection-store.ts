import type { Selectable } from "kysely"
import { readInChunks } from "../../db/chunked-queries.ts"
import type { Database, Reader, Tx } from "../../db/database.ts"
import type { CollectionRow } from "../../db/file-tables.ts"
import { foldCase } from "../../db/fold-case.ts"
import { readPage } from "../../db/paged-queries.ts"
import { columnContains } from "../../db/text-matching.ts"
import { filterReadable } from "../../grants/access-conditions.ts"
import { type Grants, grantColumns, toGrant } from "../../grants/grants.ts"
import type { AccessGrant } from "../../grants/schema.ts"
import type { Caller } from "../../http/caller.ts"
import type { Page } from "../../http/pagination.ts"
import { QueryRewritingMode } from "../../models/query-rewriting-mode.ts"
import {
  type Collection,
  type CollectionChanges,
  type CollectionListQuery,
  RetrievalMode,
} from "../schema.ts"
import { createCollectionLinks } from "./collection-links.ts"
import { createCollectionSummaryReader } from "./collection-summaries.ts"

/** Limit for the collections listed for one file. */
const maxCollectionsOfFile = 1000

const toCollection = (
  { name_key, ...row }: Selectable<CollectionRow>,
  access_grants: AccessGrant[],
): Collection => ({
  ...row,
  search: RetrievalMode.parse(row.search),
  query_rewriting: QueryRewritingMode.parse(row.query_rewriting),
  access_grants,
})

/** The lock of all that changes a collection, its files or its questions. */
export const lockOfCollection = (id: string): string => `collection:${id}`

export interface CollectionListItem extends Collection {
  grant_count: number
  /** Ids of the files added first, in order. */
  file_ids: string[]
}

/** The owners and grants of one or more collections. */
export interface CollectionReaders {
  owners: ReadonlySet<string>
  grants: AccessGrant[]
}

export const createCollectionStore = ({ db, grants }: { db: Database; grants: Grants }) => {
  const readListParts = createCollectionSummaryReader(db)
  const links = createCollectionLinks(db)

  const readableBy = (caller: Caller) =>
    filterReadable(db.read.selectFrom("collections"), "collection", caller)

  return {
    links,

    byId: async (id: string, reader: Reader = db.read): Promise<Collection | undefined> => {
      const collections = reader.selectFrom("collections").selectAll().where("id", "=", id)
      const row = await collections.executeTakeFirst()
      return row && toCollection(row, await grants.listForResource("collection", id, reader))
    },

    list: async (caller: Caller, query: CollectionListQuery): Promise<Page<CollectionListItem>> => {
      let matching = readableBy(caller)
      if (query.query) matching = matching.where(columnContains("name_key", query.query))
      const sorted = matching
        .selectAll("collections")
        .orderBy(query.order_by === "name" ? "name_key" : query.order_by, query.direction)
        .orderBy("id", query.direction)
      const { items: rows, total } = await readPage(sorted, query)
      const ids = rows.map(({ id }) => id)
      const partsById = await readListParts(ids)
      const items = rows.map((row) => {
        const parts = partsById.get(row.id)
        return {
          ...toCollection(row, parts?.grants ?? []),
          grant_count: parts?.grantCount ?? 0,
          file_ids: parts?.fileIds ?? [],
        }
      })
      return { items, total }
    },

    /** The files that are in a collection readable by the caller. */
    sharedFiles: async (caller: Caller, fileIds: readonly string[]): Promise<string[]> => {
      const rows = await readInChunks(fileIds, (chunk) =>
        readableBy(caller)
          .innerJoin("collection_files", "collection_files.collection_id", "collections.id")
          .where("collection_files.file_id", "in", chunk)
          .select("collection_files.file_id")
          .distinct()
          .execute(),
      )
      return rows.map(({ file_id }) => file_id)
    },

    /** The collections readable by the caller. */
    readableAmong: async (caller: Caller, ids: readonly string[]): Promise<Set<string>> => {
      const rows = await readInChunks(ids, (chunk) =>
        readableBy(caller).where("collections.id", "in", chunk).select("collections.id").execute(),
      )
      return new Set(rows.map(({ id }) => id))
    },

    /** The collections that were not deleted, whether or not somebody can read them. */
    filterExisting: async (ids: readonly string[]): Promise<Set<string>> => {
      const rows = await readInChunks(ids, (chunk) =>
        db.read.selectFrom("collections").select("id").where("id", "in", chunk).execute(),
      )
      return new Set(rows.map(({ id }) => id))
    },

    /** The collections that contain a file and are readable by the caller, sorted by name. */
    holding: (caller: Caller, fileId: string): Promise<{ id: string; name: string }[]> =>
      readableBy(caller)
        .innerJoin("collection_files", "collection_files.collection_id", "collections.id")
        .where("collection_files.file_id", "=", fileId)
        .select(["collections.id", "collections.name"])
        .orderBy("name_key")
        .limit(maxCollectionsOfFile)
        .execute(),

    /** Owners and grants of the collections that contain a file; undefined if there are none. */
    readersOfFile: async (fileId: string): Promise<CollectionReaders | undefined> => {
      // A file may be in thousands of collections with a thousand grants each.
      const collections = await db.backgroundReader
        .selectFrom("collection_files")
        .innerJoin("collections", "collections.id", "collection_files.collection_id")
        .select("user_id")
        .distinct()
        .where("file_id", "=", fileId)
        .execute()
      if (collections.length === 0) return undefined
      const rows = await db.backgroundReader
        .selectFrom("collection_files")
        .innerJoin("access_grants", "access_grants.resource_id", "collection_files.collection_id")
        .select(grantColumns)
        .distinct()
        .where("file_id", "=", fileId)
        .where("resource_type", "=", "collection")
        .execute()
      const owners = new Set(collections.map(({ user_id }) => user_id))
      return { owners, grants: rows.map(toGrant) }
    },

    insert: async (tx: Tx, { access_grants, ...collection }: Collection): Promise<void> => {
      const row = { ...collection, name_key: foldCase(collection.name) }
      await grants.replace(tx, "collection", collection.id, access_grants)
      await tx.insertInto("collections").values(row).execute()
    },

    /** Writes only the given changes. */
    update: async (
      tx: Tx,
      id: string,
      { access_grants, ...fields }: CollectionChanges & { updated_at: number },
    ): Promise<void> => {
      const { name } = fields
      const row = { ...fields, ...(name !== undefined && { name_key: foldCase(name) }) }
      if (access_grants) await grants.replace(tx, "collection", id, access_grants)
      await tx.updateTable("collections").set(row).where("id", "=", id).execute()
    },

    remove: async (tx: Tx, id: string): Promise<void> => {
      await links.removeAll(tx, id)
      await tx.deleteFrom("collections").where("id", "=", id).execute()
      await grants.replace(tx, "collection", id, [])
    },
  }
}

export type CollectionStore = ReturnType<typeof createCollectionStore>
