import { describe, expect, it } from "vitest"
import { findPassage } from "./find-passage.ts"

/** The found text, run by run. */
const found = (runs: readonly string[], passage: string): string[] =>
  findPassage(runs, passage).map(({ run, start, end }) => (runs[run] ?? "").slice(start, end))

describe("finding a passage in the text of a page", () => {
  it.each([
    [
      "in one run",
      ["See: The tide turns at six. Then"],
      "The tide turns at six.",
      ["The tide turns at six."],
    ],
    [
      "over runs and spaces",
      ["The tide", " ", "turns at"],
      "The  tide\nturns at",
      ["The tide", "turns at"],
    ],
    [
      "over a hyphen at a line's end",
      ["die Donau-", "dampfschifffahrt fährt"],
      "Donaudampfschifffahrt fährt",
      ["Donau-", "dampfschifffahrt fährt"],
    ],
    ["with a soft hyphen", ["Donau\u00ad", "dampfer"], "Donaudampfer", ["Donau\u00ad", "dampfer"]],
    [
      "with ligatures",
      ["e\uFB03cient work\uFB02ow"],
      "efficient workflow",
      ["e\uFB03cient work\uFB02ow"],
    ],
    [
      "with decomposed umlauts",
      ["Gru\u0308ße aus Köln"],
      "Grüße aus Ko\u0308ln",
      ["Gru\u0308ße aus Köln"],
    ],
    [
      "beyond the basic plane",
      ["\u{1D400}\u{1D401}\u{1F600} end"],
      "AB\u{1F600} end",
      ["\u{1D400}\u{1D401}\u{1F600} end"],
    ],
    ["not at all", ["The tide turns at six."], "The bells ring at noon.", []],
    ["not without letters", ["– – –"], "– –", []],
  ] as const)("%s", (_case, runs, passage, expected) => {
    expect(found(runs, passage)).toEqual(expected)
  })

  it("finds both parts of a passage interrupted by a header", () => {
    const [one, two] = [
      "The harbour master keeps the keys to every warehouse",
      "and hands them out against a signature each morning.",
    ]
    expect(found([one, "Harbour rules 12", two], `${one} ${two}`)).toEqual([one, two])
  })

  it("ignores short phrases that a page shares with a passage by coincidence", () => {
    const passage = "In the Federal Republic the rule applies to every harbour without exception."
    expect(found(["Elsewhere in the Federal Republic one may differ."], passage)).toEqual([])
  })

  it("takes linear time for repetitive text", () => {
    const runs = ["a".repeat(400_000)]
    expect(findPassage(runs, `${"a".repeat(100_000)}b`).length).toBe(4)
  })
})
