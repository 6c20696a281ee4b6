import { type RawBuilder, sql } from "kysely"
import { type AttributePath, findAttribute, resolveAttributePath } from "./attribute-paths.ts"
import { failScim } from "./errors.ts"
import { columnExpression } from "./filter-compiler.ts"
import type { ResourceType, ScimAttribute } from "./resource-type.ts"
import type { SearchRequest } from "./search-request.ts"

const leafOf = ({ attribute, sub }: AttributePath): ScimAttribute =>
  sub ?? findAttribute(attribute.subAttributes ?? [], "value") ?? attribute

/** A multi-valued attribute sorts by its primary value, or else its first (RFC 7644 §3.4.2.3). */
const sortColumn = (
  type: ResourceType,
  path: AttributePath,
  base: string,
): RawBuilder<unknown> | null => {
  const leaf = leafOf(path)
  if (leaf.type === "complex")
    failScim("invalidValue", `sortBy must name a sub-attribute of ${leaf.name}.`)
  const { column } = leaf
  if (column === undefined || (typeof column === "object" && "constant" in column)) return null
  const expression = columnExpression(column, base)
  const { elements } = path.attribute
  if (!elements) return expression
  const first = sql.raw(elements.order ?? elements.owner)
  return sql`(select ${expression} from ${sql.raw(elements.from)}
    where ${sql.ref(elements.owner)} = ${sql.ref(`${type.table}.id`)} order by ${first} limit 1)`
}

/**
 * SQL order of a search; resources without a value come last, and equal ones are ordered by id.
 * @param options `lenient`: an unknown attribute is ignored, as it may belong to another type
 * @throws {ScimError} `invalidValue`
 */
export const createOrderBy = (
  type: ResourceType,
  { sortBy, descending }: Pick<SearchRequest, "sortBy" | "descending">,
  { base, lenient }: { base: string; lenient: boolean },
): RawBuilder<unknown> => {
  const byId = sql`${sql.ref(`${type.table}.id`)}`
  if (sortBy === undefined) return byId
  const path = resolveAttributePath(type, sortBy)
  if (!path && !lenient)
    failScim("invalidValue", `sortBy ${sortBy.slice(0, 80)} is not an attribute.`)
  const column = path ? sortColumn(type, path, base) : null
  if (!column) return byId
  return descending
    ? sql`${column} desc nulls first, ${byId}`
    : sql`${column} asc nulls last, ${byId}`
}
