import type { DatabaseSync } from "node:sqlite"
import { foldCase } from "./fold-case.ts"

/**
 * Adds `contains_folded(text, wanted)` to a connection: whether a text contains what is wanted,
 * whose case is folded. PostgreSQL has it from migration 0013.
 */
export const addContainsFolded = (database: DatabaseSync): void => {
  database.function("contains_folded", { deterministic: true }, (text, wanted) =>
    foldCase(String(text)).includes(String(wanted)) ? 1 : 0,
  )
}
