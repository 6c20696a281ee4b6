import type { FoundPassage } from "./schema.ts"
import { estimateTokens, truncateToTokens } from "./tokens.ts"

/** The top passages of each ranking, which are always selected. */
const reservedPerRanking = 3
/** Minimum number of passages, if they fit. */
const minPassages = 8
const maxPassages = 40

/** Tokens of the delimiters around one source, without its name and heading. */
const tokensAround = 24

/** Estimated tokens that a source takes in the prompt in addition to its text. */
export const tokensBesideText = ({
  filename,
  heading = [],
}: Pick<FoundPassage, "filename" | "heading">): number =>
  tokensAround + estimateTokens(`${filename}${heading.join(" › ")}`)

/** Estimated tokens that a source takes in the prompt. */
export const tokensOf = (passage: Pick<FoundPassage, "text" | "filename" | "heading">): number =>
  estimateTokens(passage.text) + tokensBesideText(passage)

/** The beginning of a passage that fits within `maxTokens`. */
export const truncatePassage = (passage: FoundPassage, maxTokens: number): FoundPassage => {
  const text = truncateToTokens(passage.text, maxTokens - tokensBesideText(passage))
  return { ...passage, text, end: passage.start + text.length }
}

export interface TokenBudget {
  /** Hard limit. */
  max: number
  /** Once there are enough passages, none is added beyond this number of tokens. */
  fill: number
}

type Ranked = Pick<FoundPassage, "lexical" | "dense">

const isFirst = (ranked: Ranked["lexical"]): boolean =>
  ranked !== null && ranked.rank <= reservedPerRanking

export const isReserved = ({ lexical, dense }: Ranked): boolean =>
  isFirst(lexical) || isFirst(dense)

/** The ranking that a passage was selected for, if passages ranked above it were left out. */
const reservedBy = (passage: FoundPassage, isBelowLeftOut: boolean): FoundPassage["reserved"] => {
  if (!isBelowLeftOut) return null
  if (isFirst(passage.dense)) return "dense"
  return isFirst(passage.lexical) ? "lexical" : null
}

/** Marks which of the ranked passages are sent to the model, in unchanged order. */
export const selectPassages = (
  ranked: readonly FoundPassage[],
  { max, fill }: TokenBudget,
): FoundPassage[] => {
  const taken = new Set<FoundPassage>()
  const tooLarge = new Set<FoundPassage>()
  const texts = new Set<string>()
  let tokens = 0
  const isEnough = (): boolean => taken.size >= minPassages && tokens >= fill
  const take = (passage: FoundPassage): void => {
    const cost = tokensOf(passage)
    if (texts.has(passage.text)) return
    if (taken.size >= maxPassages || tokens + cost > max) {
      tooLarge.add(passage)
      return
    }
    taken.add(passage)
    texts.add(passage.text)
    tokens += cost
  }
  for (const passage of ranked) if (isReserved(passage)) take(passage)
  for (const passage of ranked) if (!isEnough()) take(passage)
  const [best, ...others] = ranked
  if (best && taken.size === 0) return [truncateBest(best, max), ...others.map(leaveOut("budget"))]
  let isBelowLeftOut = false
  return ranked.map((passage) => {
    if (taken.has(passage)) return { ...passage, reserved: reservedBy(passage, isBelowLeftOut) }
    if (texts.has(passage.text)) return leaveOut("duplicate")(passage)
    isBelowLeftOut = true
    return leaveOut(tooLarge.has(passage) ? "budget" : "rank")(passage)
  })
}

const leaveOut =
  (left_out: FoundPassage["left_out"]) =>
  (passage: FoundPassage): FoundPassage => ({ ...passage, used: false, left_out })

/** If not even one passage fits, the beginning of the best one is used. */
const truncateBest = (best: FoundPassage, maxTokens: number): FoundPassage => {
  const passage = truncatePassage(best, maxTokens)
  return passage.text === "" ? leaveOut("budget")(best) : passage
}
