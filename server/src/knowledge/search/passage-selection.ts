import { joinHeadings } from "../../files/passage-location.ts"
import type { FoundPassage } from "../schema.ts"
import { estimateTokens, truncateToTokens } from "../tokens.ts"

/** The top passages of each ranking, which are always selected. */
const reservedPerRanking = 3
/** Share of the tokens for the best passages of languages that few others are in. */
const languageShare = 1 / 3
/** Maximum number of passages in the smallest and in the largest context budgets. */
const passageLimits = { min: 40, max: 300 }
/** Further passages would be shorter than this on average. */
const minTokensPerPassage = 100

/** Tokens of the delimiters around one source, without its name, heading and version. */
const delimiterTokens = 32
/** Tokens that say which version a source is, without the name of the newest. */
const versionTokens = 12

type TagFields = Pick<FoundPassage, "filename" | "heading"> & Partial<Pick<FoundPassage, "version">>

/** Estimated tokens that a source takes in the prompt in addition to its text. */
export const overheadTokens = ({ filename, heading = [], version = null }: TagFields): number =>
  delimiterTokens +
  estimateTokens(`${filename}${joinHeadings(heading)}`) +
  (version ? versionTokens : 0) +
  (version && version.position > 1 ? estimateTokens(version.newest.filename) : 0)

/** Estimated tokens that a source takes in the prompt. */
export const passageTokens = (passage: TagFields & Pick<FoundPassage, "text">): number =>
  estimateTokens(passage.text) + overheadTokens(passage)

/** The beginning of a passage that fits within `maxTokens`. */
export const truncatePassage = (passage: FoundPassage, maxTokens: number): FoundPassage => {
  const text = truncateToTokens(passage.text, maxTokens - overheadTokens(passage))
  return { ...passage, text, end: passage.start + text.length }
}

/** Maximum number of passages that a search selects for a context budget. */
export const maxPassagesFor = (maxTokens: number): number =>
  Math.min(
    passageLimits.max,
    Math.max(passageLimits.min, Math.ceil(maxTokens / minTokensPerPassage)),
  )

export interface SelectionLimits {
  tokens: number
  passages: number
}

type Rankings = Pick<FoundPassage, "lexical" | "dense">

const isTopRanked = (ranked: Rankings["lexical"]): boolean =>
  ranked !== null && ranked.rank <= reservedPerRanking

export const isReserved = ({ lexical, dense }: Rankings): boolean =>
  isTopRanked(lexical) || isTopRanked(dense)

/** The ranking that a passage was selected for, if passages ranked above it were left out. */
const reservedBy = (passage: FoundPassage, isBelowLeftOut: boolean): FoundPassage["reserved"] => {
  if (!isBelowLeftOut) return null
  if (isTopRanked(passage.dense)) return "dense"
  return isTopRanked(passage.lexical) ? "lexical" : passage.reserved
}

/**
 * Marks which of the ranked passages are sent to the model, in unchanged order: the top ones of
 * each ranking, those that are reserved for a language, then the others while they fit.
 */
export const selectPassages = (
  ranked: readonly FoundPassage[],
  max: SelectionLimits,
): FoundPassage[] => {
  const selected = new Set<FoundPassage>()
  const texts = new Set<string>()
  let tokens = 0
  const isFull = (): boolean => selected.size >= max.passages
  const trySelect = (passage: FoundPassage): void => {
    if (isFull() || texts.has(passage.text)) return
    const cost = passageTokens(passage)
    if (tokens + cost > max.tokens) return
    selected.add(passage)
    texts.add(passage.text)
    tokens += cost
  }
  for (const passage of ranked) if (isReserved(passage)) trySelect(passage)
  const languageLimit = Math.min(max.tokens, tokens + max.tokens * languageShare)
  for (const passage of ranked) {
    if (passage.reserved !== "language" || tokens + passageTokens(passage) > languageLimit) continue
    trySelect(passage)
  }
  for (const passage of ranked) trySelect(passage)
  const [best, ...others] = ranked
  if (best && selected.size === 0)
    return [truncateBest(best, max.tokens), ...others.map(leaveOut("budget"))]
  let isBelowLeftOut = false
  return ranked.map((passage) => {
    if (selected.has(passage)) return { ...passage, reserved: reservedBy(passage, isBelowLeftOut) }
    if (texts.has(passage.text)) return leaveOut("duplicate")(passage)
    isBelowLeftOut = true
    return leaveOut(isFull() ? "rank" : "budget")(passage)
  })
}

/**
 * The first `limit` of the ranked passages, in unchanged order, without duplicates. A third of them
 * may be passages that are reserved for a language, which rank below the others.
 */
export const limitPassages = (ranked: readonly FoundPassage[], limit: number): FoundPassage[] => {
  const byText = Map.groupBy(ranked, ({ text }) => text)
  const unique = [...byText.values()].flatMap((equal) => equal.slice(0, 1))
  const selected = new Set(
    unique
      .filter(({ reserved }) => reserved === "language")
      .slice(0, Math.floor(limit * languageShare)),
  )
  for (const passage of unique) if (selected.size < limit) selected.add(passage)
  return unique.filter((passage) => selected.has(passage))
}

const leaveOut =
  (left_out: FoundPassage["left_out"]) =>
  (passage: FoundPassage): FoundPassage => ({ ...passage, used: false, left_out, reserved: null })

/** If not even one passage fits, the beginning of the best one is used. */
const truncateBest = (best: FoundPassage, maxTokens: number): FoundPassage => {
  const passage = truncatePassage(best, maxTokens)
  return passage.text === "" ? leaveOut("budget")(best) : passage
}
