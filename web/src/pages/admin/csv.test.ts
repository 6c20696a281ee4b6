import { expect, it } from "vitest"
import { csvOf } from "./csv.ts"

it("quotes what holds commas, quotes or line breaks", () => {
  expect(csvOf([["a,b", 'say "hi"', "two\nlines", 1.5]])).toBe(
    '"a,b","say ""hi""","two\nlines",1.5\r\n',
  )
})

it.each(["=1+1", "+1", "-1", "@sum", "\t=1"])("keeps a spreadsheet from running %j", (text) => {
  expect(csvOf([[text]]).replace(/^"/, "")).toMatch(/^'/)
})
