import { expect, it } from "vitest"
import { isDrawnInTime } from "./diagram-size.ts"

const repeat = (count: number, write: (index: number) => string, separator = "\n"): string =>
  Array.from({ length: count }, (_, index) => write(index)).join(separator)

it.each([
  ["a graph of 100 edges", `graph LR\n${repeat(100, (n) => `a${n} --> b${n}`)}`],
  ["a sequence of 100 messages", `sequenceDiagram\n${repeat(100, () => "A->>B: hello")}`],
  ["a table of 200 columns", `erDiagram\nA {\n${repeat(200, (n) => `string a${n}`)}\n}`],
])("draws %s", (_kind, source) => {
  expect(isDrawnInTime(source)).toBe(true)
})

it.each([
  ["a graph of 300 edges", `graph LR\n${repeat(300, (n) => `a${n} --> b${n}`)}`],
  ["a graph in one line", `graph LR\n${repeat(400, (n) => `a${n}`, "-->")}`],
  ["statements in one line", `graph LR;${repeat(400, (n) => `a${n}`, ";")}`],
  ["a table of 1200 columns", `erDiagram\nA {\n${repeat(1200, (n) => `string a${n}`)}\n}`],
  ["1500 classes", `classDiagram\n${repeat(1500, (n) => `class a${n}`)}`],
  ["9000 bars", `xychart-beta\nbar [${repeat(9000, () => "1", ",")}]`],
])("draws no %s", (_kind, source) => {
  expect(isDrawnInTime(source)).toBe(false)
})
