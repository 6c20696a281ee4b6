import { setImmediate as yieldToEventLoop } from "node:timers/promises"
import { type EventLoopShare, turnCosts } from "../../concurrency/fair-event-loop.ts"
import type { FileSummary } from "../../files/file-store.ts"
import { dateOf } from "../search/found-passage.ts"
import { compareNumbers, parseVersionName, type VersionName } from "./version-name.ts"

export interface VersionCandidate {
  file: FileSummary
  name: VersionName
}

/** Files whose texts are compared for one question, and with one name. */
const maxCompared = 60
const maxVersions = 20
/** Files beside those that were found whose names are parsed. */
const maxParsed = 2000
/** Names between two turns of the event loop. */
const namesPerTurn = 200

/** A document without a number is the first. */
const numberOf = ({ number }: VersionName): readonly number[] => number ?? [1]

/** What the names say comes before the dates; documents are changed and uploaded in any order. */
const compareNewestFirst = (a: VersionCandidate, z: VersionCandidate): number =>
  Number(a.name.isOutdated) - Number(z.name.isOutdated) ||
  compareNumbers(numberOf(z.name), numberOf(a.name)) ||
  (z.name.period?.start ?? dateOf(z.file)) - (a.name.period?.start ?? dateOf(a.file)) ||
  dateOf(z.file) - dateOf(a.file) ||
  z.file.created_at - a.file.created_at ||
  (a.file.id < z.file.id ? 1 : -1)

export const giveTurn = (share: EventLoopShare): Promise<unknown> =>
  share.turn(turnCosts.versions) ?? yieldToEventLoop()

const toCandidate = (file: FileSummary): VersionCandidate => ({
  file,
  name: parseVersionName(file.filename),
})

/** Words that are cheaper to find in names than to parse them. */
const lettersOf = (name: string): string[] =>
  name
    .normalize("NFC")
    .toLowerCase()
    .match(/\p{L}+/gu) ?? []

/** The word of a stem that fewest other names have: the one with the most characters. */
const distinctiveWord = (stem: string): string =>
  lettersOf(stem).reduce((best, word) => (word.length > best.length ? word : best), "")

/** The files with the same stems as those that were found, without these. */
const findSiblings = async (
  found: readonly VersionCandidate[],
  scope: readonly FileSummary[],
  share: EventLoopShare,
): Promise<VersionCandidate[]> => {
  const ids = new Set(found.map(({ file }) => file.id))
  const stems = new Set(found.map(({ name }) => name.stem))
  const words = new Set([...stems].map(distinctiveWord))
  const siblings: VersionCandidate[] = []
  let parsed = 0
  for (const [at, file] of scope.entries()) {
    if (at % namesPerTurn === namesPerTurn - 1) await giveTurn(share)
    if (ids.has(file.id) || !lettersOf(file.filename).some((word) => words.has(word))) continue
    if (++parsed > maxParsed) break
    const candidate = toCandidate(file)
    if (stems.has(candidate.name.stem)) siblings.push(candidate)
  }
  return siblings
}

/** How many files of each group are compared: at least two, more of the first ones. */
const shareLimit = (sizes: readonly number[]): number[] => {
  const fair = Math.max(2, Math.floor(maxCompared / Math.max(1, sizes.length)))
  const counts = sizes.map((size) => Math.min(size, fair))
  let rest = maxCompared - counts.reduce((sum, count) => sum + count, 0)
  return counts.map((count, at) => {
    const more = Math.max(0, Math.min(rest, (sizes[at] ?? 0) - count))
    rest -= more
    return count + more
  })
}

/**
 * Groups of files with names that may be of versions of one document, each newest first. Those with
 * the best passages come first, and have the largest share of the files that are compared.
 * @param found in the order of their best passages
 * @param scope all files of the question
 */
export const findCandidates = async (
  found: readonly FileSummary[],
  scope: readonly FileSummary[],
  share: EventLoopShare,
): Promise<VersionCandidate[][]> => {
  const foundCandidates = found.map(toCandidate).filter(({ name }) => name.stem !== "")
  if (foundCandidates.length === 0) return []
  const siblings = await findSiblings(foundCandidates, scope, share)
  const all = [...foundCandidates, ...siblings.sort(compareNewestFirst)]
  const groups = [...Map.groupBy(all, ({ name }) => name.stem).values()]
    .filter((group) => group.length > 1)
    .slice(0, maxCompared / 2)
  const counts = shareLimit(groups.map((group) => Math.min(group.length, maxVersions)))
  return groups.map((group, at) => group.slice(0, counts[at]).sort(compareNewestFirst))
}
