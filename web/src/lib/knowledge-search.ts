import { readText } from "./list-search.ts"

/** Search parameters of a collection's search page. */
export interface KnowledgeSearch {
  q?: string | undefined
  /** The preceding question of the conversation. */
  previous?: string | undefined
}

/**
 * Characters. Two questions of this length fit into a URL in any script; servers limit its length.
 */
export const maxQuestionLength = 800

export const knowledgeSearch = (search: Record<string, unknown>): KnowledgeSearch => ({
  q: readText(search.q)?.slice(0, maxQuestionLength),
  previous: readText(search.previous)?.slice(0, maxQuestionLength),
})
