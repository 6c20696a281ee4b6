import { expect, it } from "vitest"
import { LineDecoder } from "./line-decoder.ts"

it("returns the lines that are not blank, however they are split", () => {
  const bytes = Buffer.from('{"a":"ü"}\r\n\n{"b":1}\n{"c":2}')
  for (let size = 1; size <= bytes.length; size++) {
    const decoder = new LineDecoder()
    const lines: string[] = []
    for (let at = 0; at < bytes.length; at += size)
      lines.push(...decoder.push(bytes.subarray(at, at + size)))
    lines.push(...decoder.end())
    expect(lines.map((line) => JSON.parse(line))).toEqual([{ a: "ü" }, { b: 1 }, { c: 2 }])
  }
})

it("refuses a line of more than 16 million characters", () => {
  const decoder = new LineDecoder()
  const chunk = Buffer.alloc(1_000_000, "x")
  for (let count = 0; count < 16; count++) expect(decoder.push(chunk)).toEqual([])
  expect(() => decoder.push(chunk)).toThrow("it has a line of more than 16 MB")
})
