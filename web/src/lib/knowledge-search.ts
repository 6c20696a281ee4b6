import { readText } from "./list-search.ts"

/** The question of a collection's search page, as it stands in the address. */
export interface KnowledgeSearch {
  q?: string | undefined
  /** The question before it in a conversation. */
  previous?: string | undefined
}

/** Two questions of this length fit into an address in any script: servers limit its size. */
export const maxQuestionLength = 800

export const knowledgeSearch = (search: Record<string, unknown>): KnowledgeSearch => ({
  q: readText(search.q)?.slice(0, maxQuestionLength),
  previous: readText(search.previous)?.slice(0, maxQuestionLength),
})
