import type { DatabaseSync } from "node:sqlite"
import { foldCase } from "./fold-case.ts"

/**
 * Registers the SQL function `contains_folded(text, term)` on a connection: whether `text` contains
 * `term` regardless of case. `term` must be case-folded already. On PostgreSQL, migration 0013
 * creates the function.
 */
export const addContainsFolded = (database: DatabaseSync): void => {
  database.function("contains_folded", { deterministic: true }, (text, wanted) =>
    foldCase(String(text)).includes(String(wanted)) ? 1 : 0,
  )
}
