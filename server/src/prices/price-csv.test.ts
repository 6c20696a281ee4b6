import { describe, expect, it } from "vitest"
import { formatCsvRows, parseCsvRows } from "../http/csv-rows.ts"
import { formatPriceCsv, parsePriceCsv } from "./price-csv.ts"
import type { PriceEntry } from "./schema.ts"

const entries: PriceEntry[] = [
  {
    model: "=cmd|' /C calc'!A0",
    from: 0,
    ...{ input: 0.000001, output: 12.5, gpu_hour: 1e12 },
    source: "https://example.com/a,b",
  },
  {
    model: "accounts/x/models/y:free",
    provider: "fireworks",
    from: 1_800_000_000,
    ...{ input: 1e9, output: 0 },
    tiers: [{ above: 200_000, input: 5 }],
    service_tiers: { flex: { input: 0.5, tiers: [{ above: 1, output: 3 }] } },
    ...{ context_length: 8192, max_output: 1, capabilities: ["vision", "tools"] },
    ...{ end_of_life: "2027-01-31", successor: "'=z" },
  },
  { model: "facts", connection: "c1", from: 5, context_length: 10 },
]

describe("a table of prices", () => {
  it("is read as it was written", () => {
    expect(parsePriceCsv(formatPriceCsv(entries))).toEqual(entries)
  })

  it("contains no cell that a spreadsheet would evaluate", () => {
    const rows = formatPriceCsv(entries).split("\r\n").slice(1)
    expect(rows[0]?.startsWith("'=cmd|")).toBe(true)
    expect(rows.join("\n")).not.toMatch(/(^|[,\n])"?[=+\-@]/)
  })

  it("may have other columns, separators, line ends, and days", () => {
    const text = "\ufeffoutput;model;input;from\n4000;gpt;1e3;2027-01-31\n\n5;o;6;\r\n"
    expect(parsePriceCsv(text)).toEqual([
      { model: "gpt", input: 1000, output: 4000, from: 1_801_353_600 },
      { model: "o", input: 6, output: 5 },
    ])
  })

  it.each<[string, string, object]>([
    ["a price that is none", "model,input,output\nm,1,2\nn,cheap,2", { path: "input", line: 3 }],
    ["a decimal comma", "model;input;output\nm;1,5;2", { path: "input", line: 2 }],
    ["tiers that are no JSON", "model,input,output,tiers\nm,1,2,{", { path: "tiers", line: 2 }],
    ["a line without a model", "model,input,output\n,1,2", { path: "model", line: 2 }],
    ["a missing price", "model,input\nm,1", { path: "output", line: 2 }],
  ])("is rejected with %s", (_what, text, expected) => {
    expect(() => parsePriceCsv(text)).toThrow(
      expect.objectContaining({
        code: "invalid",
        details: { errors: [expect.objectContaining(expected)] },
      }),
    )
  })

  it.each([
    ["without a column for models", "input\n1"],
    ["with a column that it cannot keep", "model,price\nm,1"],
    ["without anything", ""],
  ])("is rejected %s", (_how, text) => {
    expect(() => parsePriceCsv(text)).toThrow(expect.objectContaining({ code: "invalid" }))
  })
})

describe("CSV", () => {
  it.each([
    ["quotes, separators and line ends in cells", [['a"b', "c,d", "e\r\nf"]]],
    ["empty cells at both ends", [["", "x", ""]]],
    ["apostrophes before formulas", [["'=a", "''=b", "'c", "=d", "\tq"]]],
    ["several rows", [["a"], ["b"], ["c"]]],
  ])("keeps %s", (_what, rows) => {
    expect(parseCsvRows(formatCsvRows(rows))).toEqual(rows)
  })

  it("is read to the end when a quote is never closed", () => {
    expect(parseCsvRows('a,"b\nc')).toEqual([["a", "b\nc"]])
  })
})
