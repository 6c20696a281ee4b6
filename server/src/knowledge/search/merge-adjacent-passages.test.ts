import { splitIntoPassages } from "@portico/extract"
import { expect, it } from "vitest"
import type { FoundPassage } from "../schema.ts"
import { createFoundPassage } from "./found-passage.ts"
import { mergeAdjacentPassages } from "./merge-adjacent-passages.ts"

const found = (overrides: Partial<FoundPassage>): FoundPassage =>
  createFoundPassage({
    file_id: "a",
    filename: "a.txt",
    text: "",
    start: 0,
    end: 0,
    score: 0.5,
    ...overrides,
  })

const sentence = (at: number): string => `This is the sentence with the number ${at} of them all.`
const long = Array.from({ length: 120 }, (_, at) => sentence(at)).join(" ")
const { text, passages } = splitIntoPassages([{ kind: "paragraph", text: long, location: {} }], {
  characters: 1e6,
  passages: 1000,
})
const pieces = passages.map(({ starts, ends }, at) =>
  found({ text: text.slice(starts, ends), start: starts, end: ends, score: 1 / (at + 1) }),
)

it("merges overlapping passages into exactly the text they were cut from", () => {
  expect(pieces.length).toBeGreaterThan(4)
  const [whole, ...others] = mergeAdjacentPassages(pieces.toReversed())
  expect(others).toEqual([])
  expect(whole?.text).toBe(text)
  expect(whole).toMatchObject({ start: 0, end: text.length, score: 1 })
})

it("keeps passages with a gap between them apart, in ranking order", () => {
  const [first, second, , fourth] = pieces
  if (!first || !second || !fourth) throw new Error("there are too few pieces")
  const other = found({ file_id: "b", text: "Other.", start: 0, end: 6 })
  const merged = mergeAdjacentPassages([fourth, other, second, first])
  expect(merged.map(({ start, end, file_id }) => [file_id, start, end])).toEqual([
    ["a", fourth.start, fourth.end],
    ["b", 0, 6],
    ["a", first.start, second.end],
  ])
  for (const { file_id, text: own, start, end } of merged) {
    if (file_id === "a") expect(own).toBe(text.slice(start, end))
  }
})

it("does not merge passages on different pages", () => {
  const [first, second] = pieces
  if (!first || !second) throw new Error("there are too few pieces")
  const onPages = [
    { ...first, page: 1 },
    { ...second, page: 2 },
  ]
  expect(mergeAdjacentPassages(onPages)).toEqual(onPages)
})
