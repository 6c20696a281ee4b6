import { describe, expect, it } from "vitest"
import {
  decodeShownSource,
  encodeShownSource,
  fileNamesById,
  splitAtCitations,
} from "./citations.ts"
import { findMention } from "./mention.ts"

const known = (number: number): boolean => number >= 1 && number <= 3

describe("citations", () => {
  it.each([
    ["It turns at six [1].", ["It turns at six ", [1], "."]],
    ["Both [1, 3] agree [2]", ["Both ", [1, 3], " agree ", [2]]],
    ["[1][2]", [[1], [2]]],
    [
      "of no source [4] or [0] or [1, 9]",
      ["of no source ", "[4]", " or ", "[0]", " or ", "[1, 9]"],
    ],
    ["an array[i] and [x]", ["an array[i] and [x]"]],
  ])("are split from %j", (text, pieces) => {
    expect(splitAtCitations(text, known)).toEqual(pieces)
  })

  it("number files with the same name, and no others", () => {
    const at = { start: 0, end: 1, score: 1 }
    const source = (file_id: string, name: string) => ({ file_id, name, ...at })
    const sources = [source("a", "report.txt"), source("b", "report.txt"), source("c", "tax.txt")]
    expect([...fileNamesById([...sources, null, source("a", "report.txt")])]).toEqual([
      ["a", "report.txt (1)"],
      ["b", "report.txt (2)"],
      ["c", "tax.txt"],
    ])
  })

  it("encode the open source, and decode no other pane as a source", () => {
    expect(decodeShownSource(encodeShownSource("message", 2))).toEqual({
      messageId: "message",
      number: 2,
    })
    expect(decodeShownSource("settings")).toBe(null)
    expect(decodeShownSource(null)).toBe(null)
  })
})

describe("a mention", () => {
  it.each([
    ["#", { from: 0, query: "" }],
    ["ask #hand book", { from: 4, query: "hand book" }],
    ["# Heading", null],
    ["no#mention", null],
    ["#one\n", null],
    ["##", null],
  ])("is or is not found in %j", (text, mention) => {
    expect(findMention(text, text.length)).toEqual(mention)
  })
})
