import { type OrderByItemBuilder, type RawBuilder, sql } from "kysely"
import { foldCase } from "./fold-case.ts"

/** Escapes `%`, `_` and `\` for a `like … escape '\'` pattern. */
export const escapeLike = (text: string): string => text.replace(/[\\%_]/g, "\\$&")

/** Whether a column, whose case is folded, contains a text in whatever case. */
export const contains = (column: string, text: string): RawBuilder<boolean> =>
  sql<boolean>`${sql.ref(column)} like ${`%${escapeLike(foldCase(text))}%`} escape '\\'`

/** The same of a column as it is; for texts that are too long to be stored folded too. */
export const containsFolded = (column: string, text: string): RawBuilder<boolean> =>
  sql<boolean>`contains_folded(${sql.ref(column)}, ${foldCase(text)})`

/** Sorts what is missing before all else, which each database would do its own way. */
export const inOrder =
  (direction: "asc" | "desc") =>
  (order: OrderByItemBuilder): OrderByItemBuilder =>
    direction === "asc" ? order.asc().nullsFirst() : order.desc().nullsLast()
