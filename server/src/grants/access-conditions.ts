import { type Expression, expressionBuilder, type SqlBool } from "kysely"
import type { Tables } from "../db/tables.ts"
import { grantedIdsOf, isAdmin, type Permission, type Principal } from "./access.ts"

/** The types of objects that are listed by SQL, with their tables. */
const listedTables = { collection: "collections", prompt: "prompts" } as const
type ListedType = keyof typeof listedTables

/**
 * The rules of `access.ts` as a condition on a table's rows, except that administrators have no
 * more access than others.
 */
const isOwnOrGranted = (
  type: ListedType,
  principal: Principal,
  permission: Permission,
): Expression<SqlBool> => {
  const table = listedTables[type]
  const eb = expressionBuilder<Tables, "collections" | "prompts">()
  const granted = grantedIdsOf(principal)
  const selectGranted = (principalType: keyof typeof granted) => {
    const query = eb
      .selectFrom("access_grants")
      .select("resource_id")
      .where("resource_type", "=", type)
      .where("principal_type", "=", principalType)
      .where("principal_id", "in", granted[principalType])
    return permission === "write" ? query.where("permission", "=", "write") : query
  }
  return eb.or([
    eb(`${table}.user_id`, "=", principal.user.id),
    // Each half uses the index on principals; with `or`, SQLite would read all grants.
    eb(`${table}.id`, "in", selectGranted("user").unionAll(selectGranted("group"))),
  ])
}

interface Filterable<Query> {
  where: (condition: Expression<SqlBool>) => Query
}

/** Limits a query to the rows that the principal owns or was granted access to. */
export const filterOwnOrGranted = <Query extends Filterable<Query>>(
  query: Query,
  type: ListedType,
  principal: Principal,
): Query => query.where(isOwnOrGranted(type, principal, "read"))

/** Limits a query to the rows for which `mayRead` holds. */
export const filterReadable = <Query extends Filterable<Query>>(
  query: Query,
  type: ListedType,
  principal: Principal,
): Query => (isAdmin(principal) ? query : filterOwnOrGranted(query, type, principal))

/** 1 for rows for which `mayWrite` holds, otherwise 0. */
export const selectWritable = (type: ListedType, principal: Principal) => {
  const eb = expressionBuilder<Tables, never>()
  if (isAdmin(principal)) return eb.lit(1)
  return eb
    .case()
    .when(isOwnOrGranted(type, principal, "write"))
    .then(1)
    .else(0)
    .end()
}
