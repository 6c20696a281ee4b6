import { describe, expect, it } from "vitest"
import type { FoundPassage } from "../schema.ts"
import { createFoundPassage } from "../search/found-passage.ts"
import { findExpectedFile, judgeSelection } from "./judge-selection.ts"

const passage = (start: number, end: number, fields: Partial<FoundPassage> = {}): FoundPassage =>
  createFoundPassage({ ...{ file_id: "a", filename: "a.md", text: "", start, end }, ...fields })
const left = (start: number, end: number, left_out: FoundPassage["left_out"]): FoundPassage =>
  passage(start, end, { used: false, left_out })

const ranked = {
  search: "hybrid",
  model: null,
  partlyEmbedded: 0,
  reranked: null,
  rewriting: null,
} as const
const judge = (
  passages: FoundPassage[],
  leftOut: FoundPassage[],
  range: { start: number; end: number } | null,
) => judgeSelection({ passages, leftOut, ranked }, { fileIds: new Set(["a"]), range })

describe("an expected passage", () => {
  const range = { start: 100, end: 200 }

  it("reaches the model if half of it does, in one or several passages", () => {
    expect(judge([passage(150, 400)], [], range)).toMatchObject({ reached: true, rank: 1 })
    expect(judge([passage(151, 400)], [], range)).toMatchObject({ reached: false, rank: 1 })
    const parts = [passage(0, 130), passage(180, 300)]
    expect(judge(parts, [], range).reached).toBe(true)
    const overlapping = [passage(0, 130), passage(90, 130), passage(110, 135)]
    expect(judge(overlapping, [], range).reached).toBe(false)
  })

  it("has the rank of the first passage that contains a part of it", () => {
    const other = passage(100, 200, { file_id: "b" })
    expect(judge([other, passage(0, 100), passage(90, 210)], [], range).rank).toBe(3)
    expect(judge([other], [other, left(100, 200, "rank")], range)).toEqual({
      ...{ reached: false, rank: 3, reason: "rank" },
    })
    expect(judge([other], [], range)).toEqual({ reached: false, rank: null, reason: "rank" })
  })

  it("is over budget, outdated, or reaches the model as the same text of another file", () => {
    expect(judge([], [left(100, 200, "budget")], range).reason).toBe("budget")
    expect(judge([], [left(100, 200, "older")], range).reason).toBe("older")
    expect(judge([], [left(100, 200, "duplicate")], range).reached).toBe(true)
  })

  it("is any passage of the file if no quotation is expected", () => {
    expect(judge([passage(0, 5)], [], null).reached).toBe(true)
    expect(judge([], [left(0, 5, "rank")], null)).toMatchObject({ reached: false, rank: 1 })
  })

  it("has no rank in a collection that is sent whole", () => {
    const whole = { passages: [passage(0, 500)], leftOut: [], ranked: null }
    expect(judgeSelection(whole, { fileIds: new Set(["a"]), range })).toEqual({
      ...{ reached: true, rank: null, reason: null },
    })
  })
})

describe("the expected file", () => {
  const file = (id: string, filename: string) => ({ id, filename })
  const files = [file("1", "a.md"), file("2", "b.md"), file("3", "b.md")]

  it("is the file itself, or else the last one added under its name", () => {
    const find = (file_id: string | null, filename: string) =>
      findExpectedFile(files, { file_id, filename })?.id
    expect(find("2", "b.md")).toBe("2")
    expect(find("9", "b.md")).toBe("3")
    expect(find(null, "a.md")).toBe("1")
    expect(find("9", "c.md")).toBeUndefined()
  })
})
