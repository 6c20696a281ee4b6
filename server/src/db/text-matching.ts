import { type RawBuilder, sql } from "kysely"
import { foldCase } from "./fold-case.ts"

/** Escapes `%`, `_` and `\` for a `like … escape '\'` pattern. */
export const escapeLike = (text: string): string => text.replace(/[\\%_]/g, "\\$&")

/** SQL condition: whether a case-folded column contains `text`, ignoring case. */
export const columnContains = (column: string, text: string): RawBuilder<boolean> =>
  sql<boolean>`${sql.ref(column)} like ${`%${escapeLike(foldCase(text))}%`} escape '\\'`

/**
 * Like `contains`, for a column that is not case-folded, such as long texts of which no folded copy
 * is stored.
 */
export const columnContainsFolding = (column: string, text: string): RawBuilder<boolean> =>
  sql<boolean>`contains_folded(${sql.ref(column)}, ${foldCase(text)})`
