import { type OrderByItemBuilder, type RawBuilder, sql } from "kysely"
import { foldCase } from "./fold-case.ts"

/** Escapes `%`, `_` and `\` for a `like … escape '\'` pattern. */
export const escapeLike = (text: string): string => text.replace(/[\\%_]/g, "\\$&")

/** Whether a column, whose case is folded, contains a text in whatever case. */
export const contains = (column: string, text: string): RawBuilder<boolean> =>
  sql<boolean>`${sql.ref(column)} like ${`%${escapeLike(foldCase(text))}%`} escape '\\'`

/** Sorts what is missing before all else, which each database would do its own way. */
export const inOrder =
  (direction: "asc" | "desc") =>
  (order: OrderByItemBuilder): OrderByItemBuilder =>
    direction === "asc" ? order.asc().nullsFirst() : order.desc().nullsLast()
