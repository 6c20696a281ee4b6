import { expect, it } from "vitest"
import { formatCsv } from "./csv.ts"

it("quotes values with commas, quotes, or line breaks", () => {
  expect(formatCsv([["a,b", 'say "hi"', "two\nlines", 1.5]])).toBe(
    '"a,b","say ""hi""","two\nlines",1.5\r\n',
  )
})

it("quotes what programs that guess the separator would split into a formula", () => {
  expect(formatCsv([["Ada;=1+1", "a\t=1"]])).toBe('"Ada;=1+1","a\t=1"\r\n')
})

it.each(["=1+1", "+1", "-1", "@sum", "\t=1"])(
  "escapes %j so that spreadsheets do not execute it",
  (text) => {
    expect(formatCsv([[text]]).replace(/^"/, "")).toMatch(/^'/)
  },
)
