import { expect, it } from "vitest"
import { decodeItems } from "./decode-items.ts"

it("items are read in linear time", () => {
  const content = "x".repeat(32)
  const items = Array.from({ length: 250_000 }, () => ({ role: "assistant", content }))
  const messages = decodeItems(items, () => {})
  const length = items.length * (content.length + 2) - 2
  expect(messages.map((message) => String(message.content).length)).toEqual([length])
}, 10_000)
