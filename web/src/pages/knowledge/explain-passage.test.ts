import { describe, expect, it } from "vitest"
import type { FoundPassage } from "../../lib/knowledge-api.ts"
import { explainPresence, explainRanks, explainUse } from "./explain-passage.ts"

const passage = (fields: Partial<FoundPassage> = {}): FoundPassage => ({
  file_id: "file",
  filename: "tides.txt",
  text: "The tide turns at six.",
  start: 0,
  end: 22,
  date: null,
  date_of: null,
  owner: null,
  version: null,
  score: 1,
  lexical: { rank: 1, score: 4.2071 },
  dense: { rank: 3, score: 0.61 },
  reranked: null,
  reason: "passage",
  reserved: null,
  from_previous: false,
  found_by: null,
  merged: 1,
  used: true,
  left_out: null,
  ...fields,
})

const keywords = "Keyword search: rank 1, score 4.207 (BM25)"
const meaning = "Semantic search: rank 3, similarity 0.61"

describe("the explanation of a passage", () => {
  it("shows its rank and score in each ranking of the search", () => {
    expect(explainRanks(passage(), "hybrid")).toEqual([keywords, meaning])
    const reranked = passage({ reranked: { rank: 2, score: 0.98 } })
    expect(explainRanks(reranked, "hybrid")).toContain("Reranked: rank 2, score 0.98")
  })

  it("says in which of the search's rankings it is not among the top 100", () => {
    const noKeywords = "Keyword search: not in the top 100"
    const noMeaning = "Semantic search: not in the top 100"
    const unranked = passage({ lexical: null, dense: null })
    expect(explainRanks(unranked, "hybrid")).toEqual([noKeywords, noMeaning])
    expect(explainRanks(unranked, "lexical")).toEqual([noKeywords])
    expect(explainRanks(unranked, "dense")).toEqual([noMeaning])
    expect(explainRanks({ ...unranked, reason: "whole" }, "hybrid")).toEqual([])
  })

  it.each<[Partial<FoundPassage>, string]>([
    [{ reason: "whole" }, "Whole file"],
    [{ reason: "outline" }, "Outline"],
    [{ reason: "opening" }, "Start of a section"],
    [{ reserved: "lexical" }, "Always included: in the top three of keyword search"],
    [{ reserved: "language" }, "Included: among the best passages in its language"],
    [{ reserved: "dense" }, "Always included: in the top three of semantic search"],
    [{ merged: 3 }, "Merged from 3 adjacent passages"],
    [{ from_previous: true }, "Found using the previous question"],
    [{ found_by: "When is high tide?" }, "Found by the rewritten question “When is high tide?”"],
  ])("says why it is included: %j", (fields, text) => {
    expect(explainPresence(passage(fields))).toEqual([text])
  })

  it("says whether it is sent to the model, and if not, why", () => {
    expect(explainPresence(passage())).toEqual([])
    expect(explainUse(passage())).toBe("Sent to the model")
    const leftOut = (left_out: FoundPassage["left_out"]) => passage({ used: false, left_out })
    expect(explainUse(leftOut("duplicate"))).toBe("Left out: same text as an earlier passage")
    expect(explainUse(leftOut("budget"))).toBe("Left out: over the token budget")
  })
})
