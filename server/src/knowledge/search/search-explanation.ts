import type { FileSummary } from "../../files/file-store.ts"
import type { Caller } from "../../http/caller.ts"
import type { ModelCatalogue, ResolvedModel } from "../../models/catalogue.ts"
import { rewritingModelOf, rewritingModeOf } from "../../models/rewriting-of-model.ts"
import type { ContextBudget } from "../citations/context-budget.ts"
import type { AddOwners } from "../citations/file-owners.ts"
import { toSkippedFile } from "../citations/source-finder.ts"
import type { SelectedSources, SourceSelection } from "../citations/source-selection.ts"
import type { Collections } from "../collections/collections.ts"
import { combineRewritingModes } from "../rewriting/combine-rewriting-modes.ts"
import type { ConversationTurn } from "../rewriting/rewriting-prompt.ts"
import type {
  Collection,
  CollectionQuery,
  CollectionSearchResult,
  FoundPassage,
  RetrievalMode,
} from "../schema.ts"
import { orderByVersion } from "../versions/version-selection.ts"
import { passageKey } from "./found-passage.ts"
import type { Retrieval } from "./language-search.ts"
import type { RankedPassages, RetrievalQuery } from "./retrieval.ts"
import { isSearchable } from "./searchable-files.ts"

interface Deps {
  collections: Collections
  selection: SourceSelection
  retrieval: Retrieval
  addOwners: AddOwners
  contextBudget: ContextBudget
  resolveModel: ModelCatalogue["resolve"]
}

type RankingInfo = Omit<RankedPassages, "passages">

const searchNotes = (requestedMode: RetrievalMode, { search, reranked }: RankingInfo): string[] => [
  ...(requestedMode !== "lexical" && search === "lexical"
    ? ["Keyword search only: no embedding model is currently available."]
    : []),
  ...(reranked === false ? ["The rerank endpoint did not respond; results are not reranked."] : []),
]

const turnsOf = ({ previous, previous_answer: answer }: CollectionQuery): ConversationTurn[] => [
  ...(previous ? [{ role: "user" as const, text: previous }] : []),
  ...(answer ? [{ role: "assistant" as const, text: answer }] : []),
]

/** As for a chat with the model; without one, only a model that administrators chose is asked. */
const rewritingOf = (model: ResolvedModel | null, { query_rewriting }: Collection) => ({
  chatModel: model && rewritingModelOf(model),
  mode: combineRewritingModes([...(model ? [rewritingModeOf(model)] : []), query_rewriting]),
})

/** Searches a collection and explains why a chat would or would not use each passage. */
export const createSearchExplanation = (deps: Deps) => {
  const { collections, selection, retrieval, contextBudget, resolveModel, addOwners } = deps

  /**
   * Files small enough to be sent whole are ranked nevertheless: this endpoint shows the ranking.
   */
  const rankWhole = async (
    whole: SelectedSources,
    query: Omit<RetrievalQuery, "files">,
    files: readonly FileSummary[],
  ): Promise<{ passages: FoundPassage[]; ranked: RankingInfo }> => {
    const { passages: found, ...ranked } = await retrieval.search({ ...query, files })
    const versionByFile = new Map(whole.passages.map(({ file_id, version }) => [file_id, version]))
    const keys = new Set(found.map(passageKey))
    const rest = whole.passages.filter((passage) => !keys.has(passageKey(passage)))
    const first = found.map((passage): FoundPassage => {
      const version = versionByFile.get(passage.file_id)
      const isCopy = version === undefined
      const use = isCopy ? ({ used: false, left_out: "duplicate" } as const) : {}
      return { ...passage, ...use, version: version ?? null, reason: "whole" }
    })
    const others = rest.map((passage) => ({ ...passage, score: 0 }))
    const { versions } = whole
    const { question } = query
    return { passages: orderByVersion([...first, ...others], { versions, question }), ranked }
  }

  return {
    query: async (
      caller: Caller,
      input: CollectionQuery & { id: string },
      signal: AbortSignal,
    ): Promise<CollectionSearchResult> => {
      const { id, query: question, previous, model: modelId, k } = input
      const collection = await collections.getReadable(caller, id)
      const model = modelId === undefined ? null : await resolveModel(caller, modelId)
      const all = await collections.filesOf(id)
      const collected = all.filter(isSearchable)
      const turns = turnsOf(input)
      const query = {
        ...{ userId: caller.user.id, question, previous, signal },
        mode: collection.search,
        rewriting: { caller, turns, ...rewritingOf(model, collection) },
      }
      const conversation = [...turns.map(({ text }) => text), question]
      const tokens = contextBudget({ model, conversation })
      const selected = await selection.select({ ...query, named: [], collected, maxTokens: tokens })
      const { passages, ranked } = selected.ranked
        ? { passages: [...selected.passages, ...selected.leftOut], ranked: selected.ranked }
        : await rankWhole(selected, query, collected)
      return {
        passages: await addOwners(passages.slice(0, k), collected),
        budget: { tokens, used: selected.tokens, passages: selected.passages.length },
        search: ranked.search,
        note: searchNotes(collection.search, ranked).join(" ") || null,
        embedding_model: ranked.model,
        partly_embedded: ranked.partlyEmbedded,
        rewriting: ranked.rewriting,
        sources_skipped: all.filter((file) => !isSearchable(file)).map(toSkippedFile),
      }
    },
  }
}

export type SearchExplanation = ReturnType<typeof createSearchExplanation>
