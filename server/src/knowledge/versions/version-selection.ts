import type { FileSummary } from "../../files/file-store.ts"
import type { FoundPassage } from "../schema.ts"
import { passageTokens, type SelectionLimits, selectPassages } from "../search/passage-selection.ts"
import { dateOf, type VersionByFile } from "./document-versions.ts"
import { orderByVersion, preferNewest } from "./prefer-newest.ts"

/** Share of the tokens for passages that newer versions repeat. */
const olderShare = 0.25

/** Adds to passages of documents with several versions which of them they are from. */
export const markVersions = (
  passages: readonly FoundPassage[],
  versions: VersionByFile,
): FoundPassage[] =>
  passages.map((passage) => {
    const version = versions.get(passage.file_id)
    if (!version) return passage
    const { position, total, newest } = version
    return { ...passage, version: { position, total, newest: describeFile(newest) } }
  })

const describeFile = (file: FileSummary) => ({
  file_id: file.id,
  filename: file.filename,
  date: dateOf(file),
})

/** Puts whole files in the order of `orderByVersion`; each keeps its passages together. */
export const orderFilesByVersion = (passages: readonly FoundPassage[]): FoundPassage[] => {
  const byFile = Map.groupBy(passages, ({ file_id }) => file_id)
  const first = [...byFile.values()].flatMap((all) => all.slice(0, 1))
  return orderByVersion(first).flatMap(({ file_id }) => byFile.get(file_id) ?? [])
}

/**
 * Same as `selectPassages`, but of passages that several versions of a document have, the newest is
 * selected first, and older ones as far as they leave space for others. The newest ones are first.
 * @param ranked with their versions
 */
export const selectPassagesOfVersions = (
  ranked: readonly FoundPassage[],
  limits: SelectionLimits,
  { versions, question }: { versions: VersionByFile; question: string },
): FoundPassage[] => {
  if (versions.size === 0) return selectPassages(ranked, limits)
  const maxOlderTokens = limits.tokens * olderShare
  const { passages, repetitions } = preferNewest(ranked, { versions, question, maxOlderTokens })
  const selected = selectPassages(passages, limits)
  const used = selected.filter((passage) => passage.used)
  const texts = new Set(used.map(({ text }) => text))
  let tokens = used.reduce((sum, passage) => sum + passageTokens(passage), 0)
  let count = used.length
  const more = repetitions.map((passage): FoundPassage => {
    if (texts.has(passage.text)) return { ...passage, used: false, left_out: "duplicate" }
    const cost = passageTokens(passage)
    if (count >= limits.passages || tokens + cost > limits.tokens)
      return { ...passage, used: false, left_out: "older" }
    tokens += cost
    count++
    texts.add(passage.text)
    return passage
  })
  return orderByVersion([...selected, ...more])
}
