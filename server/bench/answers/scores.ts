import type { CollectionSearchResult, FoundPassage } from "../../src/knowledge/schema.ts"
import type { GoldPassage } from "./question-set.ts"

/** Retrieval result of one question. */
export interface Outcome {
  /** Whether the gold passage reaches the prompt; null if no file contains the answer. */
  recalled: boolean | null
  /** Rank of the gold passage, from 1; 0 if it was not returned. */
  rank: number
  /** Tokens used by the sources. */
  tokens: number
}

export interface Scores {
  questions: number
  /** Null if no file contains the answers. */
  found: { recall: number; mrr: number; ndcg: number } | null
  tokens: number
}

/** A passage is relevant if it covers at least this share of the gold passage's characters. */
const minShare = 0.5
const maxNdcgRank = 10

export const isGold = (passage: FoundPassage, { range }: GoldPassage, fileId: string): boolean => {
  if (passage.file_id !== fileId) return false
  if (range === null) return true
  const shared = Math.min(passage.end, range.end) - Math.max(passage.start, range.start)
  return shared >= (range.end - range.start) * minShare
}

/** Ranks files by their best passage if any passage of the gold file is relevant. */
const rankOf = (passages: readonly FoundPassage[], gold: GoldPassage, fileId: string): number => {
  if (gold.range) return passages.findIndex((one) => isGold(one, gold, fileId)) + 1
  return [...new Set(passages.map(({ file_id }) => file_id))].indexOf(fileId) + 1
}

/** Fails if the gateway changed the text, which would make the gold offsets meaningless. */
const checkOffsets = (passages: readonly FoundPassage[], gold: GoldPassage, fileId: string) => {
  for (const { file_id, start, end, text } of passages) {
    if (file_id === fileId && gold.file.text.slice(start, end) !== text) {
      throw new Error(`${gold.file.name}: passage ${start} to ${end} is not the uploaded text`)
    }
  }
}

export const judge = (
  { passages, budget }: CollectionSearchResult,
  gold: GoldPassage | null,
  fileId: string,
): Outcome => {
  if (!gold) return { recalled: null, rank: 0, tokens: budget.used }
  if (gold.range) checkOffsets(passages, gold, fileId)
  const given = passages.filter(({ used }) => used)
  return {
    recalled: given.some((passage) => isGold(passage, gold, fileId)),
    rank: rankOf(passages, gold, fileId),
    tokens: budget.used,
  }
}

export const summarize = (outcomes: readonly Outcome[]): Scores => {
  const mean = (figureOf: (outcome: Outcome) => number): number =>
    outcomes.reduce((sum, outcome) => sum + figureOf(outcome), 0) / outcomes.length
  return {
    questions: outcomes.length,
    found: outcomes.every(({ recalled }) => recalled === null)
      ? null
      : {
          recall: mean(({ recalled }) => (recalled ? 1 : 0)),
          mrr: mean(({ rank }) => (rank > 0 ? 1 / rank : 0)),
          ndcg: mean(({ rank }) => (rank > 0 && rank <= maxNdcgRank ? 1 / Math.log2(rank + 1) : 0)),
        },
    tokens: mean(({ tokens }) => tokens),
  }
}
