import { expect, it } from "vitest"
import { highlightCode } from "./highlight-code.tsx"

const query = "SELECT a.id, COUNT(*) AS n FROM orders a WHERE a.status = 'open' AND a.age > 21;\n"

it.each([
  ["sql", query],
  ["json", '{"a":1,"b":[1,2,3]}\n'],
  ["css", "a{b:1px;c:d}\n"],
  ["typescript", "const f = (a: number): string => String(a)\n"],
])("code in %s is colored until its pieces would block the page", (language, line) => {
  const short = line.repeat(20)
  expect(highlightCode(short, language)).not.toBe(short)
  const long = line.repeat(Math.floor(90_000 / line.length))
  expect(highlightCode(long, language)).toBe(long)
})

it("short code of very many pieces stays uncolored", () => {
  const code = "[1,2]\n".repeat(5000)
  expect(highlightCode(code, "json")).toBe(code)
})
