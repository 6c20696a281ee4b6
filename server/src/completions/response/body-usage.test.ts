import { describe, expect, it } from "vitest"
import { findUsage, UsageTail } from "./body-usage.ts"

const usage = { input_tokens: 6, output_tokens: 5 }
const counts = { tokens_in: 6, tokens_out: 5 }
const bytesOf = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))

describe("the token counts of a body", () => {
  it.each([
    ["nothing", {}],
    ["a text of this name", { metadata: { usage: "x" } }],
    ["a text that looks like counts", { metadata: { usage: '{"input_tokens":0}' } }],
    ["this name as a text", { user: "usage", metadata: { a: "usage" } }],
    ["an object without counts", { arguments: { usage: { limit: 3 } } }],
    ["null", { usage_details: null, more: { usage: null } }],
  ])("are found before %s", (_name, after) => {
    expect(findUsage(bytesOf({ id: "r", usage, ...after }))).toMatchObject(counts)
  })

  it("are found in indented JSON", () => {
    expect(
      findUsage(Buffer.from('{"usage" : \n {"input_tokens": 6, "output_tokens": 5}}')),
    ).toMatchObject(counts)
  })

  it("are null if there are none", () => {
    expect(findUsage(bytesOf({ usage: null, text: "usage" }))).toBeNull()
  })

  it("are found fast among many objects of this name", () => {
    const nested = `{"usage":`.repeat(100_000)
    const startedAt = performance.now()
    expect(findUsage(Buffer.from(nested))).toBeNull()
    expect(performance.now() - startedAt).toBeLessThan(1000)
  })

  it.each([1, 7, 100, 5000])("are found in pieces of %i bytes, whatever follows", (size) => {
    const body = bytesOf({ text: "a".repeat(9000), usage, metadata: { a: "b".repeat(9000) } })
    const tail = new UsageTail()
    for (let at = 0; at < body.length; at += size) tail.push(body.subarray(at, at + size))
    expect(tail.tokens).toMatchObject(counts)
  })
})
