import type { DatabaseSync } from "node:sqlite"
import { foldCase } from "./fold-case.ts"

/**
 * Registers the SQL function `contains_folded(text, term)` on a connection: whether `text` contains
 * `term` regardless of case. `term` must be case-folded already. On PostgreSQL, migration 0013
 * creates the function.
 */
export const registerContainsFolded = (database: DatabaseSync): void => {
  database.function("contains_folded", { deterministic: true }, (text, term) =>
    foldCase(String(text)).includes(String(term)) ? 1 : 0,
  )
}
