import type { FileSummary } from "../../files/file-store.ts"
import type { PassageStore } from "../../files/passage-store.ts"
import { isSameDocument } from "./same-document.ts"
import { readTextEvidence, type TextEvidence } from "./text-evidence.ts"
import { compareNumbers, parseVersionName, type VersionName } from "./version-name.ts"

/** Where a file stands among the versions of one document. */
export interface DocumentVersion {
  /** From 1, the newest. */
  position: number
  total: number
  newest: FileSummary
  /** Numbers and years by which a question can refer to this version. */
  terms: ReadonlySet<string>
}

/** By file id; without the files that are the only version of their document. */
export type VersionByFile = ReadonlyMap<string, DocumentVersion>

/** Files whose texts are compared for one question. */
const maxCompared = 60
const maxVersions = 20
/** Files beside those that were found, among which other versions are sought. */
const maxSiblings = 2000
/** Files of larger collections are preselected by the beginnings of their names. */
const maxScope = 500
const prefixLength = 4
/** Passages at the start of a file that are compared. */
const comparedPassages = 3

interface Candidate {
  file: FileSummary
  name: VersionName
}
interface ComparedCandidate extends Candidate {
  evidence: TextEvidence
}

/** When a document was last changed, or else uploaded. */
export const dateOf = ({ document_date, created_at }: FileSummary): number =>
  document_date ?? created_at

/** A document without a number is the first. */
const numberOf = ({ number }: VersionName): readonly number[] => number ?? [1]

/** What the names say comes before the dates; documents are changed and uploaded in any order. */
const newestFirst = (a: Candidate, z: Candidate): number =>
  Number(a.name.isOutdated) - Number(z.name.isOutdated) ||
  compareNumbers(numberOf(z.name), numberOf(a.name)) ||
  (z.name.period?.start ?? dateOf(z.file)) - (a.name.period?.start ?? dateOf(a.file)) ||
  dateOf(z.file) - dateOf(a.file) ||
  z.file.created_at - a.file.created_at ||
  (a.file.id < z.file.id ? 1 : -1)

const prefixOf = ({ filename }: FileSummary): string =>
  filename.slice(0, prefixLength).toLowerCase()

/** The found files, and those in the scope that may be other versions of them. */
const findCandidates = (
  found: readonly FileSummary[],
  scope: readonly FileSummary[],
): Candidate[][] => {
  const prefixes = new Set(found.map(prefixOf))
  const isSmall = scope.length <= maxScope
  const siblings = isSmall ? scope : scope.filter((file) => prefixes.has(prefixOf(file)))
  const files = siblings.length > maxSiblings ? found : [...found, ...siblings]
  const unique = new Map(files.map((file) => [file.id, file]))
  const candidates = [...unique.values()].map((file) => ({
    file,
    name: parseVersionName(file.filename),
  }))
  const foundIds = new Set(found.map(({ id }) => id))
  return [...Map.groupBy(candidates, ({ name }) => name.stem)]
    .filter(([stem, group]) => stem !== "" && group.length > 1)
    .map(([, group]) => group.sort(newestFirst))
    .filter((group) => group.some(({ file }) => foundIds.has(file.id)))
    .map((group) => group.slice(0, maxVersions))
}

/** Groups files, newest first, into the versions of each document. */
const groupVersions = (files: readonly ComparedCandidate[]): ComparedCandidate[][] => {
  const documents: ComparedCandidate[][] = []
  for (const file of files) {
    const document = documents.find((versions) =>
      [versions[0], versions.at(-1)].some((version) => version && isSameDocument(version, file)),
    )
    if (document) document.push(file)
    else documents.push([file])
  }
  return documents
}

/** Copies of a file are one version. */
const describeVersions = (files: readonly ComparedCandidate[]): [string, DocumentVersion][] => {
  const versions = [...Map.groupBy(files, ({ file }) => file.hash).values()]
  const newest = files[0]?.file
  if (!newest || versions.length < 2) return []
  const total = versions.length
  return versions.flatMap((copies, at) =>
    copies.map(({ file, name }): [string, DocumentVersion] => {
      const year = new Date(dateOf(file) * 1000).getUTCFullYear().toString()
      const terms = new Set(name.terms.length > 0 ? name.terms : [year])
      return [file.id, { position: at + 1, total, newest, terms }]
    }),
  )
}

/**
 * Finds which files are versions of one document, by their names and the beginnings of their texts.
 * @param found files that are given to the model or may be
 * @param scope all files of the question
 */
export const findVersions = async (
  passages: PassageStore,
  found: readonly FileSummary[],
  scope: readonly FileSummary[],
): Promise<VersionByFile> => {
  const groups = findCandidates(found, scope)
  const ids = groups.flatMap((group) => group.map(({ file }) => file.id)).slice(0, maxCompared)
  if (ids.length === 0) return new Map()
  const beginnings = await passages.beginnings(ids, comparedPassages)
  const versions = groups.flatMap((group) => {
    const compared = group.flatMap((candidate): ComparedCandidate[] => {
      const text = beginnings.get(candidate.file.id)
      return text === undefined ? [] : [{ ...candidate, evidence: readTextEvidence(text) }]
    })
    return groupVersions(compared).flatMap(describeVersions)
  })
  return new Map(versions)
}
