import {
  createFilterCompiler,
  createOrderBy,
  listResponse,
  parseFilter,
  type ScimJson,
  type SearchRequest,
} from "@portico/scim"
import { sql } from "kysely"
import { foldCase } from "../db/fold-case.ts"
import { escapeLike } from "../db/text-matching.ts"
import type { ResourceView } from "./resource.ts"

const matchesAll = sql<boolean>`(1 = 1)`

/** Searches one or more resource types, one after the other. */
export const searchResources = async (
  views: readonly ResourceView[],
  request: SearchRequest,
  base: string,
): Promise<ScimJson> => {
  const { filter, startIndex, count, projection } = request
  const prepared = views.map((view) => {
    const others = views.filter((other) => other !== view).map(({ type }) => type)
    const compile = createFilterCompiler({ type: view.type, base, foldCase, escapeLike })
    const where =
      filter === undefined ? matchesAll : compile(parseFilter(view.type, filter, others))
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
