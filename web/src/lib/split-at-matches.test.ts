import { expect, it } from "vitest"
import { splitAtMatches } from "./split-at-matches.ts"

const marked = (text: string, query: string): string =>
  splitAtMatches(text, query)
    .map((piece) => (piece.isMatch ? `[${piece.text}]` : piece.text))
    .join("")

it.each([
  ["The tide, the TIDE", "tide", "The [tide], the [TIDE]"],
  ["Где ПРИСТАНЬ?", "пристань", "Где [ПРИСТАНЬ]?"],
  ["100% (sure)", "% (", "100[% (]sure)"],
  ["high water at six", "high  water", "[high water] at six"],
  ["cafe\u0301", "CAFÉ", "[café]"],
  ["nothing", "", "nothing"],
  ["nothing", "other", "nothing"],
])("marks in %j what matches %j", (text, query, expected) => {
  expect(marked(text, query)).toBe(expected)
})
