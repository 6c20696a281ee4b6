import { expect, it } from "vitest"
import { beginningOf } from "./passage-beginning.ts"

it.each([
  ["# Handbook\n\n## Tides\n\nThe **tide** turns at `six`.", "The tide turns at six."],
  ["# Handbook", "Handbook"],
  ["| Hour | Height |\n|---|--:|\n| 06:00 | 6.9 m |", "Hour, Height\n06:00, 6.9 m"],
  ["```ts\nconst tide = 1\n```", "```ts\nconst tide = 1\n```"],
  ["Hour: 06:00 | Height: 6.9", "Hour: 06:00 | Height: 6.9"],
])("shows how %j begins", (passage, text) => {
  expect(beginningOf(passage)).toBe(text)
})
