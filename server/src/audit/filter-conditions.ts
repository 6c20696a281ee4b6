import { type RawBuilder, sql } from "kysely"
import type { Reader } from "../db/database.ts"
import { foldCase } from "../db/fold-case.ts"
import { columnContains, escapeLike } from "../db/text-matching.ts"
import type { AuditFilters } from "./schema.ts"

/** Maximum number of accounts and of groups that a search text is resolved to. */
const maxSuggestions = 200

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

const findMatchingPrincipalIds = async (reader: Reader, text: string): Promise<string[]> => {
  const users = await reader
    .selectFrom("users")
    .select("id")
    .where(anyOf([columnContains("email_key", text), columnContains("name_key", text)]))
    .limit(maxSuggestions)
    .execute()
  const groups = await reader
    .selectFrom("groups")
    .select("id")
    .where(columnContains("name_key", text))
    .limit(maxSuggestions)
    .execute()
  return [...users, ...groups].map(({ id }) => id)
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
  ...["changed", "ignored", "before", "after"],
]

const textMatches = async (reader: Reader, query: string): Promise<Condition> => {
  const pattern = `%${escapeLike(query.toLowerCase())}%`
  const principalIds = await findMatchingPrincipalIds(reader, query)
  return anyOf([
    ...searchedColumns.map(
      (column) => sql<boolean>`lower(${sql.ref(column)}) like ${pattern} escape '\\'`,
    ),
    ...idIn("actor_id", principalIds),
    ...idIn("target_id", principalIds),
  ])
}

const actionStartsWith = (action: string): Condition =>
  sql<boolean>`action like ${`${escapeLike(action)}%`} escape '\\'`

/**
 * SQL conditions for the filters, except for time. The `indexed` ones have their own index in order
 * of time; they use literals, so that the planner can match the partial index.
 */
export const buildAuditConditions = async (
  reader: Reader,
  { actor, action, target, outcome, address, request_id, query }: AuditFilters,
): Promise<{ indexed: Condition[]; others: Condition[] }> => {
  const indexed: Condition[] = []
  const others: Condition[] = []
  if (outcome === "failure") indexed.push(sql<boolean>`outcome = 'failure'`)
  if (outcome === "success") others.push(equals("outcome", outcome))
  if (actor === "scim") indexed.push(sql<boolean>`actor_type = 'scim'`)
  else if (actor) others.push(await actorIs(reader, actor))
  if (action) others.push(actionStartsWith(action))
  if (target) others.push(await targetIs(reader, target))
  if (address) others.push(equals("address", address))
  if (request_id) others.push(equals("request_id", request_id))
  if (query) others.push(await textMatches(reader, query))
  return { indexed, others }
}
