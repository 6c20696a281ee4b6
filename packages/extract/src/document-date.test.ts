import { expect, it } from "vitest"
import { parseDocumentDate } from "./document-date.ts"

const now = Date.parse("2026-03-01T12:00:00Z")

it.each([
  ["2024-05-01T10:20:30Z", "2024-05-01T10:20:30Z"],
  ["2024-05-01T10:20:30.123456Z", "2024-05-01T10:20:30Z"],
  ["2024-05-01T10:20:30+02:00", "2024-05-01T08:20:30Z"],
  ["2024-05-01T23:20:30-0600", "2024-05-02T05:20:30Z"],
  ["2024-05-01T10:20:30", "2024-05-01T10:20:30Z"],
  ["2024-05-01 10:20", "2024-05-01T10:20:00Z"],
  ["2024-05-01", "2024-05-01T12:00:00Z"],
  ["2024/05/01", "2024-05-01T12:00:00Z"],
  ["2024-05", "2024-05-01T12:00:00Z"],
  ["2024", "2024-01-01T12:00:00Z"],
  ["D:20240501102030+02'00'", "2024-05-01T08:20:30Z"],
  ["D:20240501102030-05'30", "2024-05-01T15:50:30Z"],
  ["D:20240501102030Z00'00'", "2024-05-01T10:20:30Z"],
  ["D:20240501", "2024-05-01T12:00:00Z"],
  ["20240501102030", "2024-05-01T10:20:30Z"],
  ["Wed, 1 May 2024 10:20:30 +0200 (CEST)", "2024-05-01T08:20:30Z"],
  ["1 May 2024 10:20:30 GMT", "2024-05-01T10:20:30Z"],
  ["Wed, 1 May 2024 10:20:30", "2024-05-01T10:20:30Z"],
])("reads %s", (text, expected) => {
  expect(parseDocumentDate([text], now)).toBe(Date.parse(expected) / 1000)
})

it.each([
  "",
  "yesterday",
  "2024-13-01",
  "2024-00-10",
  "2024-05-41",
  "2024-05-01T25:00",
  "1979-12-31",
  "1980-01-01T00:00:00Z",
  "2031-01-01T00:00:00Z",
  // Of documents that libraries create from their own templates.
  "2013-12-23T23:15:00Z",
  `${"9".repeat(200_000)}-05-01`,
])("takes %.30s for no date", (text) => {
  expect(parseDocumentDate([text], now)).toBeNull()
})

it("takes the first date that can be true", () => {
  const date = parseDocumentDate(["2099-01-01", "soon", "2023-04-05", "2022-01-01"], now)
  expect(date).toBe(Date.parse("2023-04-05T12:00:00Z") / 1000)
  const tomorrow = Date.parse("2026-03-02T23:00:00Z") / 1000
  expect(parseDocumentDate(["2026-03-02T23:00:00Z"], now)).toBe(tomorrow)
})
