import { describe, expect, it } from "vitest"
import { type CsvLimits, formatCsvRows, readCsvRows } from "../http/csv-rows.ts"
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
  it("is read as it was written", async () => {
    expect(await parsePriceCsv(formatPriceCsv(entries))).toEqual(entries)
  })

  it("contains no cell that a spreadsheet would evaluate", () => {
    const rows = formatPriceCsv(entries).split("\r\n").slice(1)
    expect(rows[0]?.startsWith("'=cmd|")).toBe(true)
    expect(rows.join("\n")).not.toMatch(/(^|[,\n])"?[=+\-@]/)
  })

  it("may have other columns, separators, line ends, and days", async () => {
    const text = "\ufeffoutput;model;input;from\n4000;gpt;1e3;2027-01-31\n\n5;o;6;\r\n"
    expect(await parsePriceCsv(text)).toEqual([
      { model: "gpt", input: 1000, output: 4000, from: 1_801_353_600 },
      { model: "o", input: 6, output: 5 },
    ])
  })

  it.each<[string, string, object]>([
    ["a price that is none", "model,input,output\nm,1,2\nn,cheap,2", { path: "input", line: 3 }],
    ["a decimal comma", "model;input;output\nm;1,5;2", { path: "input", line: 2 }],
    ["tiers that are no JSON", "model,input,output,tiers\nm,1,2,{", { path: "tiers", line: 2 }],
    ["a line without a model", "model,input,output\n,1,2", { path: "model", line: 2 }],
    ["a decimal comma between cells", "model,input,output\nm,1,5,2", { path: "line", line: 2 }],
    ["a day that no month has", "model,from\nm,2026-02-31", { path: "from", line: 2 }],
    ["a quote that is not closed", 'model,source\n"m,\nn,', { path: "line", line: 2 }],
    ["text after a quote", 'model,source\n"m"n,', { path: "line", line: 2 }],
    ["a mistake below empty lines", "\n\nmodel,input\n\nm,1", { path: "output", line: 5 }],
    [
      "a mistake below a cell of two lines",
      'model,successor\n"m\r\nm",y\n,x',
      { path: "model", line: 4 },
    ],
    ["a missing price", "model,input\nm,1", { path: "output", line: 2 }],
  ])("is rejected with %s", async (_what, text, expected) => {
    await expect(parsePriceCsv(text)).rejects.toThrow(
      expect.objectContaining({
        code: "invalid",
        details: { errors: [expect.objectContaining(expected)] },
      }),
    )
  })

  it.each([
    ["without a column for models", "input\n1"],
    ["with a column that it cannot keep", "model,price\nm,1"],
    ["with the same column twice", "model,input,input,output\nm,1,2,3"],
    ["with too many columns", `${",".repeat(20_000)}model`],
    ["with a cell that is too long", `model,source\nm,${"x".repeat(50_001)}`],
    ["without anything", ""],
  ])("is rejected %s", async (_how, text) => {
    await expect(parsePriceCsv(text)).rejects.toThrow(expect.objectContaining({ code: "invalid" }))
  })
})

describe("the time of reading a table", () => {
  it("leaves turns to others", async () => {
    const lines = Array.from({ length: 10_000 }, (_, n) => `m${n},1,2`)
    let turns = 0
    const timer = setInterval(() => turns++, 1)
    await parsePriceCsv(["model,input,output", ...lines].join("\n"))
    clearInterval(timer)
    expect(turns).toBeGreaterThan(5)
  })
})

describe("CSV", () => {
  const limits: CsvLimits = { maxRows: 3, maxCells: 5, maxCellLength: 20 }
  const read = (text: string) => [...readCsvRows(text, limits)].map(({ cells }) => cells)

  it.each([
    ["quotes, separators and line ends in cells", [['a"b', "c,d", "e\r\nf"]]],
    [
      "other separators in cells",
      [
        ["x", "y"],
        ["a;b", "c\td"],
      ],
    ],
    ["empty cells at both ends", [["", "x", ""]]],
    ["apostrophes before formulas", [["'=a", "''=b", "'c", "=d", "\tq"]]],
    ["several rows", [["a"], ["b"], ["c"]]],
  ])("keeps %s", (_what, rows) => {
    expect(read(formatCsvRows(rows))).toEqual(rows)
  })

  it("has cells with other separators quoted, as a reader may take those for its own", () => {
    expect(formatCsvRows([["a;b", "c\td"]])).toBe('"a;b","c\td"\r\n')
  })

  it.each([
    ["rows", "a\n\n\n\nb"],
    ["cells", "a,b,c,d,e,f"],
    ["characters", `a,${"x".repeat(21)}`],
    ["quotes", `a,"${'""'.repeat(21)}"`],
  ])("is read up to its limit of %s", (_what, text) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ code: "invalid" }))
  })

  it("is not read on after its last row", () => {
    const { maxRows } = limits
    const rows = readCsvRows("a\n".repeat(5_000_000), limits)
    const start = performance.now()
    for (let row = 0; row < maxRows; row++) rows.next()
    expect(() => rows.next()).toThrow("Line 4: A table can have at most 3 lines.")
    expect(performance.now() - start).toBeLessThan(1000)
  })
})
