import { expect, it } from "vitest"
import { cellKind } from "./cell-kind.ts"

it.each([
  ["2024", "date"],
  ["04.05.2026", "date"],
  ["4. Mai 2026", "date"],
  ["4-Sep-26", "date"],
  ["Mrz. 2026", "date"],
  ["1 stycznia 2026", "date"],
  ["août 2026", "date"],
  ["Quartal 2024", "text"],
  ["Raum 101", "text"],
  ["Artikel 100", "text"],
  ["5 Tage", "text"],
  ["1.250,00 €", "number"],
  ["n/a", "number"],
])("takes %s for a %s", (text, kind) => {
  expect(cellKind(text)).toBe(kind)
})
