import type { FileSummary } from "../../files/file-store.ts"
import type { PassageStore } from "../../files/passage-store.ts"
import { estimateTokens } from "../tokens.ts"

const maxTokens = 400
/** Share of the context budget, if that is less. */
const maxShare = 0.1
/** Tokens of the delimiters. */
const delimiterTokens = 40
/** Files read; more never fit. */
const maxFiles = 60
const maxLine = 100

/** An overview of the searched collections' files, sent to the model in addition to passages. */
export interface CollectionOverview {
  /** Number of searchable files in the collections. */
  total: number
  /** Each file's name and the first line of its text. */
  files: { name: string; firstLine: string }[]
  tokens: number
}

const findFirstLine = (text: string): string => {
  const line = text.split("\n").find((one) => /[\p{L}\p{N}]/u.test(one)) ?? ""
  const plain = line
    .replace(/\s+/g, " ")
    .replace(/^[#>*\-\s]+/, "")
    .trim()
  return plain.length > maxLine ? `${plain.slice(0, maxLine).toWellFormed().trimEnd()}…` : plain
}

/**
 * Lists the first files of collections, as many as fit, so that the model can answer "What is in
 * here?".
 */
export const readCollectionOverview = async (
  passages: PassageStore,
  files: readonly FileSummary[],
  budget: number,
): Promise<CollectionOverview> => {
  const some = files.slice(0, maxFiles)
  const ids = some.map(({ id }) => id)
  const openings = await passages.openings(ids, maxLine * 3)
  const overview: CollectionOverview = { total: files.length, files: [], tokens: delimiterTokens }
  const max = Math.min(maxTokens, Math.floor(budget * maxShare))
  for (const { id, filename: name } of some) {
    const firstLine = findFirstLine(openings.get(id) ?? "")
    const cost = estimateTokens(`- ${name}: ${firstLine}\n`)
    if (overview.tokens + cost > max) break
    overview.files.push({ name, firstLine })
    overview.tokens += cost
  }
  return overview
}
