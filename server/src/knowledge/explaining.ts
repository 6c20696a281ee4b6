import type { Caller } from "../http/caller.ts"
import { isSearchable, skippedOf } from "./citing.ts"
import type { Collections } from "./collections.ts"
import type { Retrieval, Retrieved } from "./retrieval.ts"
import type { Findings, SearchWay } from "./schema.ts"

interface Needs {
  collections: Collections
  retrieval: Retrieval
}

const notesOf = (wanted: SearchWay, { search, reranked }: Retrieved): string[] => [
  ...(wanted !== "lexical" && search === "lexical"
    ? ["Searched by words only: no connection offers an embedding model, or it does not answer."]
    : []),
  ...(reranked === false
    ? ["The rerank endpoint does not answer: this is the order without it."]
    : []),
]

/** Searches a collection and says why each passage stands where it does. */
export const createExplaining = ({ collections, retrieval }: Needs) => ({
  query: async (
    caller: Caller,
    id: string,
    { query, k }: { query: string; k: number },
  ): Promise<Findings> => {
    const collection = await collections.readable(caller, id)
    const all = await collections.filesOf(id)
    const files = all.filter(isSearchable)
    const skipped = all.filter((file) => !isSearchable(file))
    const way = collection.search
    const retrieved = await retrieval.search({ asker: caller.user.id, files, query, way, limit: k })
    const { passages, search, model } = retrieved
    return {
      passages,
      search,
      note: notesOf(way, retrieved).join(" ") || null,
      embedding_model: model,
      sources_skipped: skipped.map(skippedOf),
    }
  },
})

export type Explaining = ReturnType<typeof createExplaining>
