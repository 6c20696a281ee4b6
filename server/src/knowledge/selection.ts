import type { FoundPassage } from "./schema.ts"
import { estimateTokens } from "./tokens.ts"

/** The best of each ranking that have a place whatever the other ranking says. */
const reservedPerRanking = 3
/** As many passages at least, where they fit. */
const minPassages = 8
const maxPassages = 40

/** What the delimiters around one source take. */
const tokensAround = 40

/** About how many tokens a source takes in the prompt. */
export const tokensOf = ({ text }: { text: string }): number => estimateTokens(text) + tokensAround

export interface TokenBudget {
  /** Never more than this. */
  max: number
  /** Once there are enough passages, none is added beyond this. */
  fill: number
}

type Ranked = Pick<FoundPassage, "lexical" | "dense">

const isFirst = (ranked: Ranked["lexical"]): boolean =>
  ranked !== null && ranked.rank <= reservedPerRanking

export const isReserved = ({ lexical, dense }: Ranked): boolean =>
  isFirst(lexical) || isFirst(dense)

/** Only where passages that were ranked above it are left out is its place owed to the reserve. */
const reservedBy = (passage: FoundPassage, isBelowLeftOut: boolean): FoundPassage["reserved"] => {
  if (!passage.used || !isBelowLeftOut) return null
  if (isFirst(passage.dense)) return "dense"
  return isFirst(passage.lexical) ? "lexical" : null
}

/** Says which of the ranked passages the model is given; their order stays. */
export const selectPassages = (
  ranked: readonly FoundPassage[],
  { max, fill }: TokenBudget,
): FoundPassage[] => {
  const taken = new Set<FoundPassage>()
  const duplicates = new Set<FoundPassage>()
  const tooLarge = new Set<FoundPassage>()
  const texts = new Set<string>()
  let tokens = 0
  for (const passage of ranked) {
    if (texts.has(passage.text)) duplicates.add(passage)
    texts.add(passage.text)
  }
  const isEnough = (): boolean => taken.size >= minPassages && tokens >= fill
  const take = (passage: FoundPassage): void => {
    const cost = tokensOf(passage)
    if (taken.has(passage) || duplicates.has(passage)) return
    if (taken.size >= maxPassages || tokens + cost > max) {
      tooLarge.add(passage)
      return
    }
    taken.add(passage)
    tokens += cost
  }
  for (const passage of ranked) if (isReserved(passage)) take(passage)
  for (const passage of ranked) if (!isEnough()) take(passage)
  let isBelowLeftOut = false
  return ranked.map((passage) => {
    const used = taken.has(passage)
    const isDuplicate = duplicates.has(passage)
    if (!used && !isDuplicate) isBelowLeftOut = true
    const why = isDuplicate ? "duplicate" : tooLarge.has(passage) ? "budget" : "rank"
    const selected: FoundPassage = { ...passage, used, left_out: used ? null : why }
    return { ...selected, reserved: reservedBy(selected, isBelowLeftOut) }
  })
}
