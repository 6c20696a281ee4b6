import { describe, expect, it } from "vitest"
import type { FileSummary } from "../../files/file-store.ts"
import type { FoundPassage } from "../schema.ts"
import { createFoundPassage } from "../search/found-passage.ts"
import { passageTokens } from "../search/passage-selection.ts"
import type { DocumentVersion, VersionByFile } from "./document-versions.ts"
import {
  markVersions,
  orderByVersion,
  orderFilesByVersion,
  selectPassagesOfVersions,
} from "./version-selection.ts"

const file = (id: string): FileSummary => ({
  id,
  filename: `Policy ${id}.md`,
  status: "completed",
  passages: 1,
  text_length: 100,
  error: null,
  embedding: null,
  hash: id,
  text_revision: 1,
  user_id: "ada",
  document_date: null,
  language: "en",
  created_at: 1_700_000_000,
})

const passage = (id: string, text: string, start = 0): FoundPassage =>
  createFoundPassage({
    ...{ file_id: id, filename: `Policy ${id}.md`, date: 1_700_000_000, date_of: "upload" },
    ...{ text, start, end: start + text.length, score: 0.5 },
  })

const newest = file("2025")
const versionOf = (position: number, ...terms: string[]): DocumentVersion => ({
  position,
  total: 3,
  newest,
  terms: new Set(terms),
})
const versions: VersionByFile = new Map([
  ["2025", versionOf(1, "2025", "v3")],
  ["2023", versionOf(2, "2023", "v2")],
  ["2021", versionOf(3, "2021", "v1")],
])

const leave = (days: number) =>
  `Every employee has ${days} days of paid leave in a calendar year and asks for them in the portal two weeks before the first day.`
const travel =
  "Trains are booked at the counter by whoever travels, and hotels cost up to a hundred euros a night with breakfast."
const parking =
  "Cars are parked behind the hall, bicycles in the cellar, and guests announce their number at the reception before noon."
const idsOf = (passages: readonly FoundPassage[]) =>
  passages.map(({ file_id, text }) => `${file_id} ${text.split(" ", 1)[0]}`)
const order = (question: string, ...passages: FoundPassage[]) =>
  idsOf(orderByVersion(markVersions(passages, versions), { versions, question }))

describe("the order of passages", () => {
  const old = passage("2021", leave(20))
  const middle = passage("2023", leave(24))
  const latest = passage("2025", leave(28))

  it("has newer ones before those that repeat them", () => {
    expect(order("How much leave?", old, latest, middle)).toEqual([
      "2025 Every",
      "2023 Every",
      "2021 Every",
    ])
  })

  it("does not change for unrelated passages of the versions", () => {
    const ranked = [passage("2021", travel), passage("2023", parking), passage("2025", leave(28))]
    expect(order("How much leave?", ...ranked)).toEqual(["2021 Trains", "2023 Cars", "2025 Every"])
  })

  it.each([
    "What did the 2021 policy say?",
    "What was the leave in 2021?",
    "leave in v1",
    "leave by version 1",
  ])("does not change for a version that is named: %s", (question) => {
    expect(order(question, old, latest)).toEqual(["2021 Every", "2025 Every"])
  })

  it.each(["Is there 1 day of leave?", "What was it in 2020?", "What is rule 1?"])(
    "is by version for other numbers: %s",
    (question) => {
      expect(order(question, old, latest)).toEqual(["2025 Every", "2021 Every"])
    },
  )

  it("keeps whole files that are named in their places", () => {
    const passages = markVersions(
      [old, passage("2021", travel, 200), middle, latest, passage("other", parking)],
      versions,
    )
    const filesOf = (question: string) =>
      idsOf(orderFilesByVersion(passages, { versions, question }))
    expect(filesOf("How much leave?")).toEqual([
      "2025 Every",
      "2023 Every",
      "2021 Every",
      "2021 Trains",
      "other Cars",
    ])
    expect(filesOf("How much leave was there in 2021?")).toEqual([
      "2021 Every",
      "2021 Trains",
      "2025 Every",
      "2023 Every",
      "other Cars",
    ])
  })
})

describe("the selection of passages", () => {
  it("charges the share of older ones only for those that are included", () => {
    const long = (days: number) => `${leave(days)} ${travel.repeat(6)}`
    const ranked = markVersions(
      [
        passage("2025", long(28)),
        passage("2023", long(24)),
        passage("2025", parking, 2000),
        passage("2023", `${parking} Trucks too.`, 2000),
      ],
      versions,
    )
    const [, big, , small] = ranked
    if (!big || !small) throw new Error("passages are missing")
    // The share of older passages has space for the small one only.
    const tokens = passageTokens(small) * 4 + 8
    expect(passageTokens(big)).toBeGreaterThan(tokens / 4)
    const context = { versions, question: "How much leave?" }
    const selected = selectPassagesOfVersions(ranked, { tokens, passages: 40 }, context)
    const positions = new Map(selected.map((one) => [one.text, one.left_out]))
    expect(positions.get(big.text)).toBe("older")
    expect(positions.get(small.text)).not.toBe("older")
  })
})
