import { foldCase } from "../db/fold-case.ts"
import { mayWrite } from "../grants/access.ts"
import { maxListedGrants } from "../grants/grants.ts"
import { everyonePrincipalId } from "../grants/schema.ts"
import type { Caller } from "../http/caller.ts"
import type { Page } from "../http/pagination.ts"
import type { IndexedModel } from "./model-index.ts"
import type { ModelListItem, ModelListQuery, ModelSummary } from "./schema.ts"

const compare = <T extends string | number>(a: T, b: T): number => (a < b ? -1 : Number(a > b))

const comparators: Record<
  ModelListQuery["order_by"],
  (a: IndexedModel, b: IndexedModel) => number
> = {
  name: (a, b) => compare(a.nameKey, b.nameKey),
  created_at: (a, b) => compare(a.summary.created_at, b.summary.created_at),
  updated_at: (a, b) => compare(a.summary.updated_at, b.summary.updated_at),
}

/** An item without its owner's name, which is not in memory. */
type ListedModel = Omit<ModelListItem, "user_name">

const toListItem = (summary: ModelSummary, caller: Caller): ListedModel => {
  const { access_grants } = summary
  const [toEveryone, others] = [
    access_grants.filter(({ principal_id }) => principal_id === everyonePrincipalId),
    access_grants.filter(({ principal_id }) => principal_id !== everyonePrincipalId),
  ]
  return {
    ...summary,
    access_grants: [...toEveryone, ...others].slice(0, maxListedGrants),
    grant_count: access_grants.length,
    writable: mayWrite(summary, caller),
  }
}

/** One page of the models that match the query. `models` are sorted by id. */
export const paginateModels = (
  models: readonly IndexedModel[],
  caller: Caller,
  { query, order_by, direction, page, page_size }: ModelListQuery,
): Page<ListedModel> => {
  const text = foldCase(query ?? "")
  const matching = models.filter(
    ({ idKey, nameKey }) => idKey.includes(text) || nameKey.includes(text),
  )
  const sorted = matching.toSorted(comparators[order_by])
  if (direction === "desc") sorted.reverse()
  const items = sorted.slice((page - 1) * page_size, page * page_size)
  return { items: items.map(({ summary }) => toListItem(summary, caller)), total: sorted.length }
}
