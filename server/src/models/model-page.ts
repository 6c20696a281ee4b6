import { foldCase } from "../db/fold-case.ts"
import type { Page } from "../http/list.ts"
import type { IndexedModel } from "./model-index.ts"
import type { ModelListQuery, ModelSummary } from "./schema.ts"

const compare = <T extends string | number>(a: T, b: T): number => (a < b ? -1 : Number(a > b))

const comparators: Record<
  ModelListQuery["order_by"],
  (a: IndexedModel, b: IndexedModel) => number
> = {
  name: (a, b) => compare(a.nameKey, b.nameKey),
  created_at: (a, b) => compare(a.summary.created_at, b.summary.created_at),
  updated_at: (a, b) => compare(a.summary.updated_at, b.summary.updated_at),
}

/** One page of `models`, which are sorted by id, of those that the query matches. */
export const pageOfModels = (
  models: readonly IndexedModel[],
  { query, order_by, direction, page, page_size }: ModelListQuery,
): Page<ModelSummary> => {
  const text = foldCase(query ?? "")
  const matching = models.filter(
    ({ idKey, nameKey }) => idKey.includes(text) || nameKey.includes(text),
  )
  const sorted = matching.toSorted(comparators[order_by])
  if (direction === "desc") sorted.reverse()
  const items = sorted.slice((page - 1) * page_size, page * page_size)
  return { items: items.map(({ summary }) => summary), total: sorted.length }
}
