import type { FileSummary } from "../../files/file-store.ts"
import type { PassageStore } from "../../files/passage-store.ts"
import { estimateTokens } from "../tokens.ts"
import { formatNameGroup, groupFileNames } from "./group-file-names.ts"

const maxTokens = 400
/** Share of the context budget, if that is less. */
const maxShare = 0.1
/** Tokens of the delimiters. */
const delimiterTokens = 40
const maxFirstLine = 100
const maxNameLength = 200

/** An overview of the searched collections' files, sent to the model in addition to passages. */
export interface CollectionOverview {
  /** Number of searchable files in the collections. */
  total: number
  /** Those of them that have the same content as another one; they are not listed. */
  copies: number
  /** File names or groups of similar ones; some names with the first line of the text. */
  lines: string[]
  /** Whether a line stands for files with different names. */
  isGrouped: boolean
  tokens: number
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

/** The first line of a text; "" if the file's name says the same. */
const findFirstLine = (text: string, name: string): string => {
  const line = text.split("\n").find((one) => /[\p{L}\p{N}]/u.test(one)) ?? ""
  const plain = line
    .replace(/\s+/g, " ")
    .replace(/^[#>*\-\s]+/, "")
    .trim()
  const inName = new Set(wordsOf(name))
  if (wordsOf(plain).every((word) => inName.has(word))) return ""
  return plain.length > maxFirstLine
    ? `${plain.slice(0, maxFirstLine).toWellFormed().trimEnd()}…`
    : plain
}

/** One line in the list, whatever is in the name. */
const toName = ({ filename }: FileSummary): string =>
  filename
    .replace(/[\s<>]+/g, " ")
    .slice(0, maxNameLength)
    .toWellFormed()

/** Keeps the first of files with the same content. */
export const withoutCopies = (files: readonly FileSummary[]): FileSummary[] =>
  [...Map.groupBy(files, ({ hash }) => hash).values()].flatMap((copies) => copies.slice(0, 1))

/**
 * Lists the files of collections, so that the model can answer "What is in here?": every name, and
 * first lines as far as there is space.
 */
export const readCollectionOverview = async (
  passages: PassageStore,
  files: readonly FileSummary[],
  budget: number,
): Promise<CollectionOverview> => {
  const max = Math.min(maxTokens, Math.floor(budget * maxShare))
  const originals = withoutCopies(files)
  const groups = await groupFileNames(originals.map(toName), max)
  const lines = groups.map(formatNameGroup)
  const isGrouped = groups.some(({ names }) => names !== 1)
  let tokens = estimateTokens(lines.join("\n"))
  if (!isGrouped) {
    const fileByName = new Map(originals.map((file) => [toName(file), file]))
    const single = groups.map(({ label, count }) =>
      count === 1 ? fileByName.get(label) : undefined,
    )
    const openings = await passages.openings(
      single.flatMap((file) => file?.id ?? []),
      maxFirstLine * 3,
    )
    for (const [at, file] of single.entries()) {
      const firstLine = file ? findFirstLine(openings.get(file.id) ?? "", file.filename) : ""
      const cost = estimateTokens(`: ${firstLine}`)
      if (firstLine === "" || tokens + cost > max) continue
      lines[at] += `: ${firstLine}`
      tokens += cost
    }
  }
  const copies = files.length - originals.length
  return { total: files.length, copies, lines, isGrouped, tokens: tokens + delimiterTokens }
}
