import { type RawBuilder, sql } from "kysely"
import { type AttributePath, findAttribute, resolveAttributePath } from "./attribute-paths.ts"
import type { ScimAttribute } from "./attributes.ts"
import { failScim } from "./errors.ts"
import { parseFilter } from "./filter.ts"
import { alwaysTrue } from "./filter-operators.ts"
import { columnExpression, createFilterCompiler } from "./filter-sql.ts"
import type { ScimJson } from "./projection.ts"
import type { ResourceType } from "./resource-types.ts"
import type { ResourceView } from "./resource-view.ts"
import type { SearchRequest } from "./search-query.ts"

const listUrn = "urn:ietf:params:scim:api:messages:2.0:ListResponse"

/** A ListResponse (RFC 7644 §3.4.2). */
export const listResponse = (
  resources: readonly ScimJson[],
  { total, startIndex }: { total: number; startIndex: number },
): ScimJson => ({
  schemas: [listUrn],
  totalResults: total,
  startIndex,
  itemsPerPage: resources.length,
  Resources: resources,
})

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

const createOrderBy = (
  type: ResourceType,
  { sortBy, descending }: SearchRequest,
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

/**
 * Resolves names that only other resource types define; resources of this type have no value for
 * them.
 */
const createFallbackScope =
  (others: readonly ResourceType[]) =>
  (name: string): AttributePath | undefined => {
    const path = others.map((type) => resolveAttributePath(type, name)).find(Boolean)
    if (!path) return undefined
    const attribute = withoutColumns(path.attribute)
    const sub = path.sub && withoutColumns(path.sub)
    return { attribute, sub }
  }

const withoutColumns = ({ column, elements, ...attribute }: ScimAttribute): ScimAttribute => ({
  ...attribute,
  ...(attribute.subAttributes && { subAttributes: attribute.subAttributes.map(withoutColumns) }),
})

/** Searches one or more resource types, one after the other. */
export const searchResources = async (
  views: readonly ResourceView[],
  request: SearchRequest,
  base: string,
): Promise<ScimJson> => {
  const { filter, startIndex, count, projection } = request
  const prepared = views.map((view) => {
    const others = views.filter((other) => other !== view).map(({ type }) => type)
    const compile = createFilterCompiler({ type: view.type, base })
    const alsoKnown = createFallbackScope(others)
    const where =
      filter === undefined
        ? alwaysTrue
        : compile(parseFilter(view.type, filter, { fallbackScope: alsoKnown }))
    const order = createOrderBy(view.type, request, { base, lenient: others.length > 0 })
    return { view, where, order }
  })

  const resources: ScimJson[] = []
  let skip = startIndex - 1
  let total = 0
  for (const { view, where, order } of prepared) {
    const limit = count - resources.length
    const page = { where, order, limit, offset: skip }
    const found = limit > 0 ? await view.page(page, { projection, base }) : []
    // A partial page is the end of the list, so no count is needed.
    const known = found.length < limit && (found.length > 0 || skip === 0)
    const matching = known ? skip + found.length : await view.count(where)
    resources.push(...found)
    total += matching
    skip = Math.max(0, skip - matching)
  }
  return listResponse(resources, { total, startIndex })
}
