import { t } from "../../i18n/translate.ts"
import { formatNumber } from "../../lib/format.ts"
import type { CollectionSearchResult, FoundPassage } from "../../lib/knowledge-api.ts"

type RankedScore = FoundPassage["lexical"]

const valuesOf = ({ rank, score }: NonNullable<RankedScore>) => ({
  rank,
  score: formatNumber(score, 3),
})

/** A passage's rank and score in each ranking of the search. */
export const explainRanks = (
  { lexical, dense, reranked, reason }: FoundPassage,
  search: CollectionSearchResult["search"],
): string[] => {
  // Passages added without a search, such as whole files, need no rank.
  const isSearched = reason === "passage"
  const lines: string[] = []
  if (lexical) lines.push(t("playground.keywords", valuesOf(lexical)))
  else if (isSearched && search !== "dense") lines.push(t("playground.noKeywords"))
  if (dense) lines.push(t("playground.meaning", valuesOf(dense)))
  else if (isSearched && search !== "lexical") lines.push(t("playground.noMeaning"))
  if (reranked) lines.push(t("playground.reranked", valuesOf(reranked)))
  return lines
}

/** Why a passage is among the results, apart from its ranks. */
export const explainPresence = (passage: FoundPassage): string[] => {
  const { reason, reserved, merged, from_previous, found_by } = passage
  const lines: string[] = []
  if (reason !== "passage") lines.push(t(`reason.${reason}`))
  if (reserved) lines.push(t(`playground.reserved.${reserved}`))
  if (merged > 1) lines.push(t("playground.merged", { count: merged }))
  if (from_previous) lines.push(t("playground.fromPrevious"))
  if (found_by !== null) lines.push(t("playground.foundBy", { query: found_by }))
  return lines
}

/** Whether the passage would be sent to the model, and if not, why. */
export const explainUse = ({ left_out }: FoundPassage): string =>
  left_out ? t(`playground.leftOut.${left_out}`) : t("playground.given")
