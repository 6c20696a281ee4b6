import type { FileSummary } from "../../files/file-store.ts"
import type { FoundPassage } from "../schema.ts"
import { dateOf } from "../search/found-passage.ts"
import { passageTokens, type SelectionLimits, selectPassages } from "../search/passage-selection.ts"
import type { DocumentVersion, VersionByFile } from "./document-versions.ts"
import { findRepetitions, type Repetitions } from "./repeated-passages.ts"
import { isVersionLabel } from "./version-name.ts"

/** Share of the tokens for passages that newer versions repeat. */
const olderShare = 0.25

export interface VersionsOfQuestion {
  versions: VersionByFile
  question: string
}

const describeFile = (file: FileSummary) => ({
  file_id: file.id,
  filename: file.filename,
  date: dateOf(file),
})

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

/** The words of a question; "version 2" is `v2`. */
const termsOf = (question: string): Set<string> => {
  const words = question.toLowerCase().match(/[\p{L}\p{N}]+(?:\.[\p{L}\p{N}]+)*/gu) ?? []
  return new Set(
    words.flatMap((word, at) =>
      isVersionLabel(words[at - 1] ?? "") && /^\d/.test(word) ? [word, `v${word}`] : [word],
    ),
  )
}

/** The files whose versions a question names, such as "the 2023 policy". */
const findNamedFiles = ({ versions, question }: VersionsOfQuestion): Set<string> => {
  const named = termsOf(question)
  const isNamed = ({ terms }: DocumentVersion): boolean => !terms.isDisjointFrom(named)
  return new Set([...versions].flatMap(([id, version]) => (isNamed(version) ? [id] : [])))
}

/** The repetitions of newer passages by versions that the question does not name. */
const findUnnamedRepetitions = (
  passages: readonly FoundPassage[],
  context: VersionsOfQuestion,
): Repetitions => {
  const named = findNamedFiles(context)
  return new Map([...findRepetitions(passages)].filter(([{ file_id }]) => !named.has(file_id)))
}

/** Puts the passages that another one repeats before it. */
const putNewestFirst = (
  passages: readonly FoundPassage[],
  repetitions: Repetitions,
): FoundPassage[] => {
  const present = new Set(passages)
  const ordered = new Set<FoundPassage>()
  // Ends, because each step leads to a newer version.
  const add = (passage: FoundPassage): void => {
    if (!present.has(passage) || ordered.has(passage)) return
    for (const newer of repetitions.get(passage) ?? []) add(newer)
    ordered.add(passage)
  }
  for (const passage of passages) add(passage)
  return [...ordered]
}

/**
 * Puts passages of newer versions before those that repeat them. The others keep their places, and
 * so do passages of a version that the question names.
 * @param passages with their versions
 */
export const orderByVersion = (
  passages: readonly FoundPassage[],
  context: VersionsOfQuestion,
): FoundPassage[] => putNewestFirst(passages, findUnnamedRepetitions(passages, context))

/**
 * Puts whole files of newer versions before older ones, each document in the places that its files
 * have. Files that the question names keep theirs.
 */
export const orderFilesByVersion = (
  passages: readonly FoundPassage[],
  context: VersionsOfQuestion,
): FoundPassage[] => {
  const named = findNamedFiles(context)
  const files = [...Map.groupBy(passages, ({ file_id }) => file_id)]
  const documentOf = ([id, [first]]: (typeof files)[number]): string =>
    named.has(id) ? id : (first?.version?.newest.file_id ?? id)
  const positionOf = ([, [first]]: (typeof files)[number]): number => first?.version?.position ?? 0
  const queues = new Map(
    [...Map.groupBy(files, documentOf)].map(([id, all]) => [
      id,
      all.toSorted((a, z) => positionOf(a) - positionOf(z)).values(),
    ]),
  )
  return files.flatMap((file) => queues.get(documentOf(file))?.next().value?.[1] ?? [])
}

/** Separates passages that repeat several newer ones, or exceed the share of older ones. */
const separateOlder = (
  ordered: readonly FoundPassage[],
  repetitions: Repetitions,
  maxOlderTokens: number,
): { passages: FoundPassage[]; older: FoundPassage[] } => {
  const older = new Set<FoundPassage>()
  let olderTokens = 0
  for (const passage of ordered) {
    const repeated = repetitions.get(passage)?.length ?? 0
    if (repeated === 0) continue
    const cost = passageTokens(passage)
    if (repeated > 1 || olderTokens + cost > maxOlderTokens) older.add(passage)
    else olderTokens += cost
  }
  return { passages: ordered.filter((passage) => !older.has(passage)), older: [...older] }
}

/** Adds older passages to the selected ones as far as there is space left. */
const addOlder = (
  selected: readonly FoundPassage[],
  older: readonly FoundPassage[],
  limits: SelectionLimits,
): FoundPassage[] => {
  const used = selected.filter((passage) => passage.used)
  const texts = new Set(used.map(({ text }) => text))
  let tokens = used.reduce((sum, passage) => sum + passageTokens(passage), 0)
  let count = used.length
  const more = older.map((passage): FoundPassage => {
    if (texts.has(passage.text)) return { ...passage, used: false, left_out: "duplicate" }
    const cost = passageTokens(passage)
    if (count >= limits.passages || tokens + cost > limits.tokens)
      return { ...passage, used: false, left_out: "older" }
    tokens += cost
    count++
    texts.add(passage.text)
    return passage
  })
  return [...selected, ...more]
}

/**
 * Same as `selectPassages`, but of passages that several versions of a document have, the newest is
 * selected first and comes first, then at most one older one, and others as far as there is space.
 * Versions that the question names are treated like other documents.
 * @param ranked with their versions
 */
export const selectPassagesOfVersions = (
  ranked: readonly FoundPassage[],
  limits: SelectionLimits,
  context: VersionsOfQuestion,
): FoundPassage[] => {
  if (context.versions.size === 0) return selectPassages(ranked, limits)
  const repetitions = findUnnamedRepetitions(ranked, context)
  const ordered = putNewestFirst(ranked, repetitions)
  const { passages, older } = separateOlder(ordered, repetitions, limits.tokens * olderShare)
  return addOlder(selectPassages(passages, limits), older, limits)
}
