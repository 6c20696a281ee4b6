import { describe, expect, it } from "vitest"
import { rowsToBlocks } from "./rows-to-blocks.ts"
import { sheetToBlocks } from "./sheet-to-blocks.ts"

/** Rows of texts between vertical bars. */
const toRows = (lines: readonly string[]) =>
  lines.map((line, at) => ({ row: at + 1, cells: line.split("|") }))

const textsOf = (lines: readonly string[]): string[] =>
  rowsToBlocks(toRows(lines)).map(({ text }) => text)

describe("forms", () => {
  it.each([
    [
      "with two pairs in each row",
      ["Antrag", "Name|Ada|Abteilung|Einkauf", "Ziel|Bonn|Zweck|Messe"],
      ["Antrag", "Name: Ada | Abteilung: Einkauf", "Ziel: Bonn | Zweck: Messe"],
    ],
    [
      "with two pairs in each row and values of several kinds",
      ["Name|Ada|Abteilung|Einkauf", "Beginn|04.05.2026|Ende|05.05.2026", "Ziel|Bonn|Zweck|Messe"],
      [
        "Name: Ada | Abteilung: Einkauf",
        "Beginn: 04.05.2026 | Ende: 05.05.2026",
        "Ziel: Bonn | Zweck: Messe",
      ],
    ],
    [
      "of two columns of texts",
      ["Name|Ada Sommer", "Wohnort|Köln", "Beruf|Imkerin"],
      ["Name: Ada Sommer", "Wohnort: Köln", "Beruf: Imkerin"],
    ],
    [
      "directly above a table",
      ["Name|Ada Sommer", "Wohnort|Köln", "Datum|Zweck|Betrag", "04.05.2026|Hotel|120"],
      ["Name: Ada Sommer", "Wohnort: Köln", "Datum: 04.05.2026 | Zweck: Hotel | Betrag: 120"],
    ],
  ])("are read %s", (_what, lines, expected) => {
    expect(textsOf(lines)).toEqual(expected)
    expect(sheetToBlocks(toRows(lines)).map(({ text }) => text)).toEqual(expected)
  })

  it("are distinguished from tables by kinds of values, and by emphasized headers", () => {
    expect(textsOf(["Product|Price", "Apple|1.20"])).toEqual(["Product: Apple | Price: 1.20"])
    expect(textsOf(["Name|City|Unit|Pay", "Ada|Bonn|Sales|7", "Eve|Ulm|Wax|9"])).toEqual([
      "Name: Ada | City: Bonn | Unit: Sales | Pay: 7",
      "Name: Eve | City: Ulm | Unit: Wax | Pay: 9",
    ])
    const emphasized = toRows(["Name|City", "Ada|Bonn"]).map((row, at) => ({
      ...row,
      isEmphasized: at === 0,
    }))
    expect(rowsToBlocks(emphasized).map(({ text }) => text)).toEqual(["Name: Ada | City: Bonn"])
  })
})
