import { expect, it } from "vitest"
import { formatCsv } from "./csv.ts"

it("quotes values with commas, quotes, or line breaks", () => {
  expect(formatCsv([["a,b", 'say "hi"', "two\nlines", 1.5]])).toBe(
    '"a,b","say ""hi""","two\nlines",1.5\r\n',
  )
})

it.each(["=1+1", "+1", "-1", "@sum", "\t=1"])(
  "escapes %j so that spreadsheets do not execute it",
  (text) => {
    expect(formatCsv([[text]]).replace(/^"/, "")).toMatch(/^'/)
  },
)
