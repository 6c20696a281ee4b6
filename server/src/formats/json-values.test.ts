import { describe, expect, it } from "vitest"
import { isLargeJson } from "./json-values.ts"

const kilobytes = (count: number): string => "x".repeat(count * 1024)

describe("isLargeJson", () => {
  it.each([
    ["a long text", { messages: [{ content: kilobytes(65) }] }, true],
    ["a long name", { [kilobytes(65)]: null }, true],
    ["many short texts", [Array.from({ length: 70 }, () => kilobytes(1))], true],
    ["many numbers", Array.from({ length: 40_000 }, () => 1), true],
    ["texts of less than 64 KB", [kilobytes(30), { text: kilobytes(30) }], false],
    ["nothing", null, false],
  ])("measures %s", (_name, value, isLarge) => {
    expect(isLargeJson(value)).toBe(isLarge)
  })
})
