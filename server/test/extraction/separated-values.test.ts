import { expect, it } from "vitest"
import { useDocumentReader } from "./document-reader.ts"

const read = useDocumentReader()

it("finds the header of separated values under other lines", async () => {
  const statement = `Account statement
"Account:";"DE12 3456"
"Balance:";"1.234,56 EUR"

"Date";"Payee";"Purpose";"Amount"
"02.01.2024";"Utility";"Power";"-85,00"
"03.01.2024";"ACME";"Wages; March";"2.500,00"
`
  const { text } = await read("statement.csv", statement)
  expect(text.split("\n").filter(Boolean)).toEqual([
    "Account statement",
    "Account: DE12 3456",
    "Balance: 1.234,56 EUR",
    "Date: 02.01.2024 | Payee: Utility | Purpose: Power | Amount: -85,00",
    "Date: 03.01.2024 | Payee: ACME | Purpose: Wages; March | Amount: 2.500,00",
  ])
})

it.each(["sep=^", '"SEP=^"'])("takes the separator from the line %s", async (line) => {
  const { text } = await read("a.csv", `${line}\r\nName^Age, years\r\nAda^36\r\nBob^40\r\n`)
  expect(text.split("\n").filter(Boolean)).toEqual([
    "Name: Ada | Age, years: 36",
    "Name: Bob | Age, years: 40",
  ])
})

it.each([
  ["Ja;Nein\nJa;Nein\nJa;Nein\n", "Ja: Nein\nJa: Nein\nJa: Nein"],
  ["Yes;No;Maybe\nYes;No;Maybe\nYes;No;Maybe\n", "Yes | No | Maybe"],
])("reads rows that are all equal", async (content, expected) => {
  expect((await read("a.csv", content)).text).toBe(expected)
})
