import { readSearchText } from "./list-search-params.ts"

/** Search parameters of a collection's search page. */
export interface KnowledgeSearchParams {
  q?: string | undefined
  /** The preceding question of the conversation. */
  previous?: string | undefined
}

/**
 * Characters. Two questions of this length fit into a URL in any script; servers limit its length.
 */
export const maxQuestionLength = 800

export const parseKnowledgeSearch = (search: Record<string, unknown>): KnowledgeSearchParams => ({
  q: readSearchText(search.q)?.slice(0, maxQuestionLength),
  previous: readSearchText(search.previous)?.slice(0, maxQuestionLength),
})
