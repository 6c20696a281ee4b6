import type { FileSummary } from "../../files/file-store.ts"
import type { SelectedSources } from "../citations/source-selection.ts"
import type { FoundPassage } from "../schema.ts"
import type { MissReason, QuestionResult } from "./schema.ts"

interface TextRange {
  /** UTF-16 offsets in the file's text. */
  start: number
  end: number
}

/** Where the answer to a question is. */
export interface ExpectedPassage {
  /** The file, and copies of it in the collection, only one of which is sent. */
  fileIds: ReadonlySet<string>
  /** Null if any passage of the file will do. */
  range: TextRange | null
}

export type Judgement = Pick<QuestionResult, "reached" | "rank" | "reason">

/** The share of the expected passage that has to reach the model. */
const minCoveredShare = 0.5

const overlaps = (passage: FoundPassage, { fileIds, range }: ExpectedPassage): boolean =>
  fileIds.has(passage.file_id) &&
  (range === null || (passage.start < range.end && passage.end > range.start))

/** Code units of the range that the passages cover together. */
const countCovered = (passages: readonly FoundPassage[], range: TextRange): number => {
  let covered = 0
  let from = range.start
  for (const { start, end } of passages.toSorted((a, z) => a.start - z.start)) {
    const until = Math.min(end, range.end)
    covered += Math.max(0, until - Math.max(start, from))
    from = Math.max(from, until)
  }
  return covered
}

const isCovered = (passages: readonly FoundPassage[], range: TextRange | null): boolean =>
  passages.length > 0 &&
  (range === null || countCovered(passages, range) >= (range.end - range.start) * minCoveredShare)

/** Why the passages that contain the expected text are not sent. */
const findReason = (unused: readonly FoundPassage[]): MissReason =>
  (["budget", "older"] as const).find((reason) =>
    unused.some(({ left_out }) => left_out === reason),
  ) ?? "rank"

/** Whether the expected passage is among the sources selected for a question. */
export const judgeSelection = (
  { passages, leftOut, ranked }: Pick<SelectedSources, "passages" | "leftOut" | "ranked">,
  expected: ExpectedPassage,
): Judgement => {
  const found = [...passages, ...leftOut]
  const index = found.findIndex((passage) => overlaps(passage, expected))
  const rank = ranked && index >= 0 ? index + 1 : null
  const unused = leftOut.filter((passage) => overlaps(passage, expected))
  // The same text reaches the model from another passage.
  const duplicates = unused.filter(({ left_out }) => left_out === "duplicate")
  const used = [...passages.filter((passage) => overlaps(passage, expected)), ...duplicates]
  if (isCovered(used, expected.range)) return { reached: true, rank, reason: null }
  return { reached: false, rank, reason: findReason(unused) }
}

/**
 * The file with the answer; one that replaced it under its name counts too, the last one added.
 * @param files of the collection, in the order in which they were added
 */
export const findExpectedFile = <File extends Pick<FileSummary, "id" | "filename">>(
  files: readonly File[],
  { file_id, filename }: { file_id: string | null; filename: string },
): File | undefined =>
  files.find(({ id }) => id === file_id) ?? files.findLast((file) => file.filename === filename)

export const missed = (reason: MissReason): Judgement => ({ reached: false, rank: null, reason })
