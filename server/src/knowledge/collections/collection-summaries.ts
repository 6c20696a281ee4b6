import { sql } from "kysely"
import type { Database } from "../../db/database.ts"
import { jsonRowsSubquery } from "../../db/json-subquery.ts"
import { grantColumns, maxListedGrants, toGrant } from "../../grants/grants.ts"
import { type AccessGrant, everyonePrincipalId } from "../../grants/schema.ts"

const maxListedFiles = 20

/** What a list shows of a collection in addition to its row. */
export interface CollectionSummary {
  /** The first grants, grants to everyone first. */
  grants: AccessGrant[]
  grantCount: number
  /** Ids of the files added first, in order. */
  fileIds: string[]
}

const grantsOfCollection = `access_grants
  where resource_type = 'collection' and resource_id = collections.id`

/**
 * Reads summaries with two statements per page and only the rows shown, since collections can be
 * large.
 */
export const createCollectionSummaryReader = (db: Database) => {
  const firstGrants = jsonRowsSubquery(db, {
    fields: Object.fromEntries(grantColumns.map((name) => [name, name])),
    from: `(select ${grantColumns.join(", ")} from ${grantsOfCollection}
      and principal_id <> '${everyonePrincipalId}'
      order by ${grantColumns.join(", ")} limit ${maxListedGrants}) as first_grants`,
    order: "principal_id",
  })
  const firstFiles = jsonRowsSubquery(db, {
    fields: { id: "file_id", at: "added_at" },
    from: `(select file_id, added_at from collection_files
      where collection_id = collections.id
      order by added_at, file_id limit ${maxListedFiles}) as first_files`,
    order: "file_id",
  })
  const grantCount = sql<number>`(select count(*) from ${sql.raw(grantsOfCollection)})`

  const readGrantsToEveryone = async (ids: readonly string[]) => {
    const rows = await db.read
      .selectFrom("access_grants")
      .select(["resource_id", ...grantColumns])
      .where("resource_type", "=", "collection")
      .where("resource_id", "in", ids)
      .where("principal_type", "in", ["user", "group"])
      .where("principal_id", "=", everyonePrincipalId)
      .execute()
    return Map.groupBy(rows, ({ resource_id }) => resource_id)
  }

  return async (ids: readonly string[]): Promise<Map<string, CollectionSummary>> => {
    if (ids.length === 0) return new Map()
    const toEveryone = await readGrantsToEveryone(ids)
    const rows = await db.read
      .selectFrom("collections")
      .select("id")
      .select([firstGrants.as("grants"), firstFiles.as("files"), grantCount.as("grant_count")])
      .where("id", "in", ids)
      .execute()
    return new Map(
      rows.map(({ id, grants, files, grant_count }) => {
        const named = JSON.parse(grants ?? "[]")
        const all = [...(toEveryone.get(id) ?? []), ...named].slice(0, maxListedGrants)
        return [
          id,
          { grants: all.map(toGrant), grantCount: grant_count, fileIds: inOrderAdded(files) },
        ]
      }),
    )
  }
}

const inOrderAdded = (files: string | null): string[] => {
  const added: { id: string; at: number }[] = JSON.parse(files ?? "[]")
  return added.toSorted((one, other) => one.at - other.at).map(({ id }) => id)
}
