import { type RawBuilder, sql } from "kysely"
import type { Reader } from "../db/database.ts"
import { foldCase } from "../db/fold-case.ts"
import { type NameSource, nameSources } from "../db/object-names.ts"
import { columnContains, columnContainsFolding, escapeLike } from "../db/text-matching.ts"
import type { AuditFilters, AuditOperation } from "./schema.ts"

type Condition = RawBuilder<boolean>

const equals = (column: string, value: string): Condition =>
  sql<boolean>`${sql.ref(column)} = ${value}`

const anyOf = (conditions: readonly Condition[]): Condition =>
  sql<boolean>`(${sql.join(conditions, sql` or `)})`

const idIn = (column: string, ids: readonly string[]): Condition[] =>
  ids.length === 0 ? [] : [sql<boolean>`${sql.ref(column)} in (${sql.join(ids)})`]

const findUserIdsByEmail = async (reader: Reader, email: string): Promise<string[]> => {
  const rows = await reader
    .selectFrom("users")
    .select("id")
    .where("email_key", "=", foldCase(email))
    .execute()
  return rows.map(({ id }) => id)
}

/**
 * Whether the name of the item with the ID in `column` contains `text`. Looks up one row by its
 * primary key: PostgreSQL would read the whole table for `exists` or `in`.
 */
const nameContains = (
  { table, column, searched }: NameSource,
  { idColumn, text }: { idColumn: string; text: string },
): Condition => {
  const contains = searched
    ? anyOf(searched.map((name) => columnContains(`${table}.${name}`, text)))
    : columnContainsFolding(`${table}.${column}`, text)
  return sql<boolean>`(select ${contains} from ${sql.table(table)}
    where ${sql.ref(`${table}.id`)} = ${sql.ref(`audit_events.${idColumn}`)})`
}

const targetNameContains = (text: string): Condition => {
  const cases = Object.entries(nameSources).map(
    ([type, source]) =>
      sql`when ${type} then ${nameContains(source, { idColumn: "target_id", text })}`,
  )
  return sql<boolean>`case target_type ${sql.join(cases, sql` `)} end`
}

const actorIs = async (reader: Reader, actor: string): Promise<Condition> =>
  anyOf([
    ...["actor_id", "key_id", "actor_type"].map((column) => equals(column, actor)),
    ...idIn("actor_id", await findUserIdsByEmail(reader, actor)),
  ])

const targetIs = async (reader: Reader, target: string): Promise<Condition> =>
  anyOf([
    ...["target_id", "target_type"].map((column) => equals(column, target)),
    ...idIn("target_id", await findUserIdsByEmail(reader, target)),
  ])

const searchedColumns = [
  ...["action", "address", "request_id", "key_id", "actor_id", "target_type", "target_id"],
  ...["changed", "ignored"],
]

/** Names of deleted items are in these only. */
const detailColumns = ["before", "after"]

const textMatches = (text: string): Condition => {
  const pattern = `%${escapeLike(text.toLowerCase())}%`
  return anyOf([
    ...searchedColumns.map(
      (column) => sql<boolean>`lower(${sql.ref(column)}) like ${pattern} escape '\\'`,
    ),
    ...detailColumns.map(
      (column) =>
        sql<boolean>`(${sql.ref(column)} is not null and ${columnContainsFolding(column, text)})`,
    ),
    targetNameContains(text),
    nameContains(nameSources.user, { idColumn: "actor_id", text }),
    nameContains(nameSources.key, { idColumn: "key_id", text }),
  ])
}

const actionStartsWith = (action: string): Condition =>
  sql<boolean>`action like ${`${escapeLike(action)}%`} escape '\\'`

/** The ends of actions, by what they do. */
const actionEndings: Record<AuditOperation, readonly string[]> = {
  create: [".created", ".uploaded", ".linked"],
  update: [
    ...[".updated", "changed", ".activated", ".deactivated", ".released", ".restored"],
    ...[".files_added", ".file_removed", ".reset", ".processed_again", ".replaced", ".patched"],
    ".secret_replaced",
  ],
  delete: [".deleted", ".revoked", ".unlinked", ".pruned"],
  access: [
    ".shared",
    ".unshared",
    ".members_changed",
    ".managers_changed",
    ".activated",
    ".deactivated",
  ],
}

const operationIs = (operation: AuditOperation): Condition => {
  const endings = actionEndings[operation].map(
    (ending) => sql<boolean>`action like ${`%${escapeLike(ending)}`} escape '\\'`,
  )
  if (operation === "create")
    return sql<boolean>`(${anyOf(endings)} and action <> 'session.created')`
  if (operation !== "access") return anyOf(endings)
  // Updates record grants and roles only if they changed.
  const recorded = ["access_grants", "role"].map(
    (name) => sql<boolean>`before like ${`%"${name}"%`}`,
  )
  return anyOf([...endings, sql<boolean>`(action like '%.updated' and ${anyOf(recorded)})`])
}

/**
 * SQL conditions for the filters, except for time. The `indexed` ones have their own index in order
 * of time; they use literals, so that the planner can match the partial index.
 */
export const buildAuditConditions = async (
  reader: Reader,
  { actor, action, operation, target, outcome, address, request_id, query }: AuditFilters,
): Promise<{ indexed: Condition[]; others: Condition[] }> => {
  const indexed: Condition[] = []
  const others: Condition[] = []
  if (outcome === "failure") indexed.push(sql<boolean>`outcome = 'failure'`)
  if (outcome === "success") others.push(equals("outcome", outcome))
  if (actor === "scim") indexed.push(sql<boolean>`actor_type = 'scim'`)
  else if (actor) others.push(await actorIs(reader, actor))
  if (action) others.push(actionStartsWith(action))
  if (operation) others.push(operationIs(operation))
  if (target) others.push(await targetIs(reader, target))
  if (address) others.push(equals("address", address))
  if (request_id) others.push(equals("request_id", request_id))
  if (query) others.push(textMatches(query))
  return { indexed, others }
}
