import { type Expression, expressionBuilder, type SqlBool } from "kysely"
import type { Tables } from "../db/tables.ts"
import { isAdmin, type Principal, principalIdsOf } from "./access.ts"

// The rules of `access.ts` in SQL, which `access-conditions.test.ts` compares.

/** The types of objects that are listed by SQL, with their tables. */
const listedTables = { collection: "collections", prompt: "prompts" } as const
type ListedType = keyof typeof listedTables

const expressions = expressionBuilder<Tables, "collections" | "prompts">()
const grants = expressionBuilder<Tables, "access_grants">()

/** The grants on all objects of a type. */
const selectGrants = (type: ListedType) =>
  expressions.selectFrom("access_grants").select("resource_id").where("resource_type", "=", type)

/** A condition on grants for each type of principal. */
const grantConditions = (principal: Principal) =>
  Object.entries(principalIdsOf(principal)).map(([type, ids]) =>
    grants("principal_type", "=", type).and("principal_id", "in", ids),
  )

interface Filterable<Query> {
  where: (condition: Expression<SqlBool>) => Query
}

/** Limits a query to the rows that the principal owns or was granted access to. */
export const filterOwnOrGranted = <Query extends Filterable<Query>>(
  query: Query,
  type: ListedType,
  principal: Principal,
): Query => {
  const table = listedTables[type]
  // Each condition uses the index on principals; with `or`, SQLite would read all grants.
  const grantedIds = grantConditions(principal)
    .map((condition) => selectGrants(type).where(condition))
    .reduce((all, more) => all.unionAll(more))
  return query.where(
    expressions.or([
      expressions(`${table}.user_id`, "=", principal.user.id),
      expressions(`${table}.id`, "in", grantedIds),
    ]),
  )
}

/** Limits a query to the rows for which `mayRead` holds. */
export const filterReadable = <Query extends Filterable<Query>>(
  query: Query,
  type: ListedType,
  principal: Principal,
): Query => (isAdmin(principal) ? query : filterOwnOrGranted(query, type, principal))

/** 1 for rows for which `mayWrite` holds, otherwise 0. */
export const selectWritable = (type: ListedType, principal: Principal) => {
  if (isAdmin(principal)) return expressions.lit(1)
  const table = listedTables[type]
  const writeGrants = selectGrants(type)
    .whereRef("resource_id", "=", `${table}.id`)
    .where("permission", "=", "write")
    .where(grants.or(grantConditions(principal)))
  const isOwn = expressions(`${table}.user_id`, "=", principal.user.id)
  return expressions
    .case()
    .when(expressions.or([isOwn, expressions.exists(writeGrants)]))
    .then(1)
    .else(0)
    .end()
}
