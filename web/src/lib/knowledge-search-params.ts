import { readSearchText } from "./list-search-params.ts"

/** Search parameters of a collection's search page. */
export interface KnowledgeSearchParams {
  q?: string | undefined
  /** The preceding question of the conversation. */
  previous?: string | undefined
  /** The ID of the chat's model. */
  model?: string | undefined
}

/**
 * Characters. Two questions of this length fit into a URL in any script; servers limit its length.
 */
export const maxQuestionLength = 800

const maxModelLength = 300

export const parseKnowledgeSearch = (search: Record<string, unknown>): KnowledgeSearchParams => ({
  q: readSearchText(search.q)?.slice(0, maxQuestionLength),
  previous: readSearchText(search.previous)?.slice(0, maxQuestionLength),
  model: readSearchText(search.model)?.slice(0, maxModelLength),
})

/** Search parameters of a file's page. */
export interface FileSearchParams {
  /** Offset of the passage to show, in UTF-16 code units. */
  at?: number | undefined
  /** Page of the list of passages. */
  page?: number | undefined
  /** Shows the text of a file whose pages could be shown. */
  view?: "text" | undefined
}

export const parseFileSearch = ({ at, page, view }: Record<string, unknown>): FileSearchParams => ({
  at: typeof at === "number" && at >= 0 ? at : undefined,
  page: typeof page === "number" && page > 1 ? page : undefined,
  view: view === "text" ? view : undefined,
})
