import type { EventLoopShare, FairEventLoop } from "../../concurrency/fair-event-loop.ts"
import type { FileSummary } from "../../files/file-store.ts"
import type { PassageStore } from "../../files/passage-store.ts"
import { dateOf } from "../search/found-passage.ts"
import { createEvidenceCache } from "./evidence-cache.ts"
import { isSameDocument } from "./same-document.ts"
import type { TextEvidence } from "./text-evidence.ts"
import { findCandidates, giveTurn, type VersionCandidate } from "./version-candidates.ts"

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

interface ComparedCandidate extends VersionCandidate {
  evidence: TextEvidence
}

const isVersionOf = (file: ComparedCandidate, versions: readonly ComparedCandidate[]): boolean =>
  [...new Set([versions[0], versions.at(-1)])].some(
    (version) => version && isSameDocument(version, file),
  )

/** Groups files, newest first, into the versions of each document. */
const groupVersions = async (
  files: readonly ComparedCandidate[],
  share: EventLoopShare,
): Promise<ComparedCandidate[][]> => {
  const documents: ComparedCandidate[][] = []
  for (const file of files) {
    await giveTurn(share)
    const document = documents.find((versions) => isVersionOf(file, versions))
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

interface Deps {
  passages: Pick<PassageStore, "beginnings">
  fairLoop: FairEventLoop
}

/**
 * Finds which files are versions of one document, by their names and the beginnings of their texts.
 * @param found files that are given to the model or may be, in the order of their best passages
 * @param scope all files of the question
 */
export type FindVersions = (
  userId: string,
  found: readonly FileSummary[],
  scope: readonly FileSummary[],
) => Promise<VersionByFile>

export const createVersionFinder = ({ passages, fairLoop }: Deps): FindVersions => {
  const cache = createEvidenceCache(passages)
  return async (userId, found, scope) => {
    const share = fairLoop.of(userId)
    const groups = await findCandidates(found, scope, share)
    const files = groups.flat().map(({ file }) => file)
    const evidences = await cache.read(files, share)
    const versions: [string, DocumentVersion][] = []
    for (const group of groups) {
      const compared = group.flatMap((candidate): ComparedCandidate[] => {
        const evidence = evidences.get(candidate.file.id)
        return evidence ? [{ ...candidate, evidence }] : []
      })
      const documents = await groupVersions(compared, share)
      versions.push(...documents.flatMap(describeVersions))
    }
    return new Map(versions)
  }
}
