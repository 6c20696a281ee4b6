import { estimateTokens } from "../../src/knowledge/tokens.ts"
import { plainSettings } from "./gateway.ts"
import { idsOf, type Run } from "./measure-set.ts"
import { chatModel, type ModelUpstream } from "./model-upstream.ts"
import type { SourceFile } from "./question-set.ts"

const sizes = [40, 80, 400]

export interface Archive {
  /** Its first ones are smaller collections. */
  files: readonly SourceFile[]
  /** Copies of some of the first ones. */
  copies: readonly SourceFile[]
}

export const filesOf = ({ files, copies }: Archive): SourceFile[] => [...files, ...copies]

/** How a prompt describes the files of a collection. */
export interface ListingScores {
  files: number
  /** Share of the file names that the list contains. */
  named: number
  /** Share of the file names that are only described by a line such as `invoice-*.pdf (12 files)`. */
  grouped: number
  /** File names that the list contains more than once. */
  repeated: number
  /** Size of the list. */
  tokens: number
}

const listPattern = /<source-\w+ list="[^"]*">\n([\s\S]*?)\n<\/source-/
const groupSize = / \(\d+ files\)$/
/** A group such as `* (400 files)` describes nothing. */
const minPrefixLength = 3

const countOf = (text: string, part: string): number => text.split(part).length - 1

/** Checks whether one of the lines describes a group to which a name belongs. */
const isInGroup = (lines: readonly string[], name: string): boolean =>
  lines.some((line) => {
    const parts = line.replace(groupSize, "").split("*")
    const [prefix = "", suffix = ""] = [parts.at(0), parts.at(-1)]
    return (
      parts.length > 1 &&
      prefix.length >= minPrefixLength &&
      name.startsWith(prefix) &&
      name.endsWith(suffix)
    )
  })

const judgeListing = (prompt: string, files: readonly SourceFile[]): ListingScores => {
  const list = listPattern.exec(prompt)?.[1] ?? ""
  const names = [...new Set(files.map(({ name }) => name))]
  const unnamed = names.filter((name) => !list.includes(name))
  const grouped = unnamed.filter((name) => isInGroup(list.split("\n"), name))
  return {
    files: files.length,
    named: 1 - unnamed.length / names.length,
    grouped: grouped.length / names.length,
    repeated: names.filter((name) => countOf(list, name) > 1).length,
    tokens: estimateTokens(list),
  }
}

/** Asks what collections of several sizes contain. */
export const measureListings = async (
  { gateway, fileIds }: Run,
  { files, copies }: Archive,
  upstream: ModelUpstream,
): Promise<ListingScores[]> => {
  const scores: ListingScores[] = []
  for (const size of sizes) {
    const some = files.slice(0, size)
    const ids = idsOf([...some, ...copies], fileIds)
    const collection = await gateway.createCollection(`${size} files`, plainSettings, ids)
    await gateway.chat(chatModel, collection, "What is in this collection?")
    scores.push(judgeListing(upstream.lastPrompt(), some))
  }
  return scores
}
