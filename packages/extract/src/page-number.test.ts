import { expect, it } from "vitest"
import { isPageNumber } from "./page-number.ts"

it.each([
  ...["3", "- 3 -", "Page 3 of 12", "Seite 3 von 1024", "S. 3/12", "3 | 12", "xii", "Page iv"],
  ...["第 3 页 共 12 页", "第3页共12页", "Strona 3 z 12", "Page", "— 112 —"],
])("takes %s for a page number", (text) => {
  expect(isPageNumber(text)).toBe(true)
})

it.each([
  ...[
    "4711-2026",
    "2026/0815",
    "2025/2026",
    "V 2.0",
    "v. 2",
    "04.05.2026",
    "12345",
    "§ 3 Absatz 2",
  ],
  ...["Contract 4711", "3-12", "1/2/3", "Page 12345"],
])("keeps %s", (text) => {
  expect(isPageNumber(text)).toBe(false)
})
