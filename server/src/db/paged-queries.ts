import { type OrderByItemBuilder, type SelectQueryBuilder, type Simplify, sql } from "kysely"
import type { Tables } from "./tables.ts"

/** The number of rows that a query matches, whatever it selects of them. */
export const countRows = async <Table extends keyof Tables>(
  query: SelectQueryBuilder<Tables, Table, object>,
): Promise<number> => {
  const counted = query.clearSelect().clearOrderBy().select(sql<number>`count(*)`.as("total"))
  const { total } = await counted.executeTakeFirstOrThrow()
  return total
}

/** One page of the rows that a query matches, and the number of all of them. */
export const readPage = async <Table extends keyof Tables, Row extends object>(
  query: SelectQueryBuilder<Tables, Table, Row>,
  { page, page_size }: { page: number; page_size: number },
): Promise<{ items: Simplify<Row>[]; total: number }> => {
  const total = await countRows(query)
  const items = await query
    .limit(page_size)
    .offset((page - 1) * page_size)
    .execute()
  return { items, total }
}

/** Sorts nulls first (last when descending); the databases' defaults differ. */
export const orderNullsFirst =
  (direction: "asc" | "desc") =>
  (order: OrderByItemBuilder): OrderByItemBuilder =>
    direction === "asc" ? order.asc().nullsFirst() : order.desc().nullsLast()
