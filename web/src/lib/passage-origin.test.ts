import { expect, it } from "vitest"
import { formatOrigin } from "./passage-origin.ts"

const date = Date.parse("2025-05-03T12:00:00Z") / 1000

it("says when a document is from, whose it is, and whether there is a newer version", () => {
  expect(formatOrigin({ date, date_of: "document", owner: "Ada" })).toBe(
    "Document of May 3, 2025 · Owner: Ada",
  )
  expect(formatOrigin({ date, date_of: "upload", owner: null })).toBe("Uploaded May 3, 2025")
  const version = { position: 2, total: 3 }
  expect(formatOrigin({ date, date_of: "document", version })).toBe(
    "Older version · Document of May 3, 2025",
  )
  expect(formatOrigin({ version: { position: 1, total: 3 } })).toBe("Newest of 3 versions")
})

it("says nothing of answers that were stored without", () => {
  expect(formatOrigin({})).toBe("")
  expect(formatOrigin({ date: null, date_of: null, owner: null, version: null })).toBe("")
})
