import { type RawBuilder, sql } from "kysely"
import type { Reader } from "../db/database.ts"
import { nameSources } from "../db/object-names.ts"
import type { Tables } from "../db/tables.ts"
import { type Affected, describeAffected, type NamedObject } from "../users/affected-objects.ts"
import { readOwnedFiles } from "./owned-files.ts"
import type { OwnedObjects } from "./schema.ts"

/** An object of an account, and an object of someone else that depends on it. */
export interface ObjectDependency {
  object: NamedObject
  usedBy: NamedObject
}

interface Deps {
  /** What depends on an account's models and collections. */
  findDependents: (reader: Reader, ownerId: string) => Promise<ObjectDependency[]>
}

/** What an account can own, by type. */
const ownedTables: Record<string, keyof Tables> = {
  model: "models",
  collection: "collections",
  prompt: "prompts",
  file: "files",
  function: "functions",
  chat: "chats",
  project: "projects",
  api_key: "api_keys",
}

/** The types of objects that grants share. */
const sharedTypes = ["model", "collection", "prompt"] as const

interface SharedRow {
  id: string
  name: string
  count: number
}

const readRows = async <Row>(reader: Reader, query: RawBuilder<Row>): Promise<Row[]> =>
  (await query.execute(reader)).rows

const readShared = async (
  reader: Reader,
  ownerId: string,
  type: (typeof sharedTypes)[number],
): Promise<Affected[]> => {
  const { table, column } = nameSources[type]
  const rows = await readRows(
    reader,
    sql<SharedRow>`select o.id, o.${sql.ref(column)} as name, count(*) as count
      from ${sql.table(table)} as o join (
        select distinct resource_id, principal_type, principal_id from access_grants
        where resource_type = ${type}
          and resource_id in (select id from ${sql.table(table)} where user_id = ${ownerId})
          and not (principal_type = 'user' and principal_id = ${ownerId})
      ) as g on g.resource_id = o.id
      group by o.id, o.${sql.ref(column)} order by o.id`,
  )
  return rows.map(({ id, name, count }) => {
    return { type, id, name, shared_count: Number(count), used_by: [] }
  })
}

const readSharedChats = async (reader: Reader, ownerId: string): Promise<Affected[]> => {
  const rows = await reader
    .selectFrom("chats")
    .select(["id", "title"])
    .where("user_id", "=", ownerId)
    .where("shared", "=", 1)
    .execute()
  return rows.map(({ id, title }) => {
    return { type: "chat", id, name: title, shared_count: 1, used_by: [] }
  })
}

/** Files that others' collections contain. */
const readFileDependencies = async (
  reader: Reader,
  ownerId: string,
): Promise<ObjectDependency[]> => {
  const found: ObjectDependency[] = []
  for await (const page of readOwnedFiles(reader, ownerId)) {
    const nameById = new Map(page.map(({ id, filename }) => [id, filename]))
    const links = await reader
      .selectFrom("collection_files")
      .innerJoin("collections", "collections.id", "collection_files.collection_id")
      .select(["file_id", "collections.id", "collections.name"])
      .where("file_id", "in", [...nameById.keys()])
      .where("collections.user_id", "!=", ownerId)
      .execute()
    for (const { file_id, id, name } of links) {
      found.push({
        object: { type: "file", id: file_id, name: nameById.get(file_id) ?? "" },
        usedBy: { type: "collection", id, name },
      })
    }
  }
  return found
}

const keyOf = ({ type, id }: NamedObject): string => `${type} ${id}`

const mergeDependencies = (
  shared: readonly Affected[],
  found: readonly ObjectDependency[],
): Affected[] => {
  const usersByKey = Map.groupBy(found, ({ object }) => keyOf(object))
  const merged = shared.map((affected) => {
    const users = usersByKey.get(keyOf(affected)) ?? []
    usersByKey.delete(keyOf(affected))
    return { ...affected, used_by: users.map(({ usedBy }) => usedBy) }
  })
  const unshared = [...usersByKey.values()].flatMap((users) => {
    const [first] = users
    const used_by = users.map(({ usedBy }) => usedBy)
    return first ? [{ ...first.object, shared_count: 0, used_by }] : []
  })
  return [...merged, ...unshared]
}

/** What accounts own, and what others use of it. */
export const createOwnedObjects = ({ findDependents }: Deps) => {
  /** What other people would lose with the account. */
  const readInUse = async (reader: Reader, ownerId: string): Promise<Affected[]> => {
    const shared: Affected[] = []
    for (const type of sharedTypes) {
      shared.push(...(await readShared(reader, ownerId, type)))
    }
    shared.push(...(await readSharedChats(reader, ownerId)))
    return mergeDependencies(shared, [
      ...(await findDependents(reader, ownerId)),
      ...(await readFileDependencies(reader, ownerId)),
    ])
  }

  const countOwned = async (reader: Reader, ownerId: string): Promise<Record<string, number>> => {
    const counts: Record<string, number> = {}
    for (const [type, table] of Object.entries(ownedTables)) {
      const [row] = await readRows(
        reader,
        sql<{ count: number }>`select count(*) as count from ${sql.table(table)}
          where user_id = ${ownerId}`,
      )
      counts[type] = Number(row?.count ?? 0)
    }
    return counts
  }

  return {
    readInUse,

    list: async (reader: Reader, ownerId: string): Promise<OwnedObjects> => ({
      counts: await countOwned(reader, ownerId),
      in_use: await describeAffected(reader, await readInUse(reader, ownerId)),
    }),
  }
}
