import { setImmediate as nextTurn } from "node:timers/promises"
import { estimateTokens } from "../tokens.ts"

/** A name, or several similar ones. */
export interface NameGroup {
  /** For several names, what they have in common, with `*` for the rest. */
  label: string
  /** Number of files. */
  count: number
  /** Number of different names. */
  names: number
}

/** A line of the list; `2 files` is added to what stands for several. */
export const formatNameGroup = ({ label, count }: NameGroup): string =>
  count === 1 ? label : `${label} (${count} files)`

const ideograph = /^[\u2e80-\u9fff\uac00-\ud7af]/u
const extensionOf = (name: string): string => /\.[A-Za-z][A-Za-z0-9]{0,7}$/.exec(name)?.[0] ?? ""
const firstWordOf = (name: string): string =>
  ideograph.test(name) ? name.slice(0, 2) : (/^[^\s_.\-\d*]+/u.exec(name)?.[0] ?? "")

const isDigit = (character: string | undefined): boolean =>
  character !== undefined && character >= "0" && character <= "9"

const maskLastNumber = (name: string): string => {
  let end = name.length
  while (end > 0 && !isDigit(name[end - 1])) end--
  let start = end
  while (start > 0 && isDigit(name[start - 1])) start--
  return `${name.slice(0, start)}#${name.slice(end)}`
}

/** What makes names similar, and how many such names are grouped. */
interface Similarity {
  keyOf(name: string): string
  minNames: number
}

const similarities: readonly Similarity[] = [
  // invoice-2024-0117.pdf and invoice-2024-0118.pdf, but not those of 2025
  { keyOf: maskLastNumber, minNames: 3 },
  { keyOf: (name) => name.replace(/\d+/g, "#"), minNames: 3 },
  {
    keyOf: (name) => `${firstWordOf(name).toLowerCase()} ${extensionOf(name).toLowerCase()}`,
    minNames: 4,
  },
]

const commonPrefixLength = (a: string, b: string, max: number): number => {
  let length = 0
  while (length < max && length < b.length && a[length] === b[length]) length++
  return length
}

const commonSuffixLength = (a: string, b: string, max: number): number => {
  let length = 0
  while (length < max && length < b.length && a.at(-1 - length) === b.at(-1 - length)) length++
  return length
}

/** "invoice-2024-*.pdf"; numbers are not cut. */
const describeSimilar = (names: readonly string[]): string => {
  const [first = "", ...others] = names
  let start = first.length
  let end = first.length
  for (const name of others) {
    start = commonPrefixLength(first, name, start)
    end = commonSuffixLength(first, name, end)
  }
  const prefix = first.slice(0, start).replace(/\d{1,20}$/, "")
  const suffix = first.slice(Math.max(start, first.length - end)).replace(/^\d+/, "")
  return `${prefix.toWellFormed()}*${suffix.toWellFormed()}`.replace(/\*+/g, "*")
}

const merge = (groups: readonly NameGroup[]): NameGroup => ({
  label: describeSimilar(groups.map(({ label }) => label)),
  count: groups.reduce((sum, { count }) => sum + count, 0),
  names: groups.reduce((sum, { names }) => sum + names, 0),
})

const tokensOf = (groups: readonly NameGroup[]): number =>
  estimateTokens(groups.map(formatNameGroup).join("\n"))

/** Merges similar groups, the largest first, only as many as necessary. */
const mergeUntilFit = (
  groups: readonly NameGroup[],
  { keyOf, minNames }: Similarity,
  maxTokens: number,
): NameGroup[] => {
  let tokens = tokensOf(groups)
  const similar = [...Map.groupBy(groups, ({ label }) => keyOf(label)).values()]
  const merged = new Map<NameGroup, NameGroup | null>()
  for (const members of similar.toSorted((a, z) => z.length - a.length)) {
    const [first, ...others] = members
    if (tokens <= maxTokens || !first || members.length < minNames) break
    const group = merge(members)
    tokens -= tokensOf(members) - tokensOf([group])
    merged.set(first, group)
    for (const member of others) merged.set(member, null)
  }
  return groups.flatMap((group) => {
    const replaced = merged.get(group)
    return replaced === undefined ? group : (replaced ?? [])
  })
}

/** Kinds of files that are named in a summary. */
const maxKinds = 5

/** "12 more .pdf files, 3 more files" */
const summarize = (groups: readonly NameGroup[]): NameGroup[] => {
  const counts = new Map<string, number>()
  for (const { label, count } of groups) {
    const extension = extensionOf(label).toLowerCase()
    counts.set(extension, (counts.get(extension) ?? 0) + count)
  }
  const kinds = [...counts].sort(([, a], [, z]) => z - a)
  const rest = kinds.slice(maxKinds).reduce((sum, [, count]) => sum + count, 0)
  const shown = [...kinds.slice(0, maxKinds), ...(rest > 0 ? [["", rest] as const] : [])]
  return shown.map(([kind, count]) => ({ label: `further ${kind || "other"}`, count, names: 0 }))
}

/** Keeps as many groups as fit, those of most files first, and counts the rest. */
const cutToFit = (groups: readonly NameGroup[], maxTokens: number): NameGroup[] => {
  const ordered = groups.toSorted((a, z) => z.count - a.count)
  const reserved = tokensOf(summarize(ordered)) + 1
  let tokens = reserved
  const kept = ordered.findIndex((group) => {
    tokens += estimateTokens(`${formatNameGroup(group)}\n`)
    return tokens > maxTokens
  })
  if (kept < 0) return [...groups]
  const shown = new Set(ordered.slice(0, kept))
  return [...groups.filter((group) => shown.has(group)), ...summarize(ordered.slice(kept))]
}

/**
 * Lists file names within `maxTokens`: each name once if they fit; otherwise similar names are
 * grouped, and what still does not fit is counted. The counts add up to the number of names given.
 */
export const groupFileNames = async (
  names: readonly string[],
  maxTokens: number,
): Promise<NameGroup[]> => {
  const countByName = new Map<string, number>()
  for (const name of names) countByName.set(name, (countByName.get(name) ?? 0) + 1)
  let groups = [...countByName].map(([label, count]): NameGroup => ({ label, count, names: 1 }))
  for (const similarity of similarities) {
    if (tokensOf(groups) <= maxTokens) return groups
    // Tens of thousands of names take some ten milliseconds each time.
    await nextTurn()
    groups = mergeUntilFit(groups, similarity, maxTokens)
  }
  return tokensOf(groups) <= maxTokens ? groups : cutToFit(groups, maxTokens)
}
