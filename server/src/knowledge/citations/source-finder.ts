import { fail } from "../../errors.ts"
import type { FileSummary, StoredFile } from "../../files/file-store.ts"
import { describeLocation } from "../../files/passage-location.ts"
import type { Principal } from "../../grants/access.ts"
import { rejectServiceKeys } from "../../grants/reject-service-keys.ts"
import type { Caller } from "../../http/caller.ts"
import type { QueryRewritingMode } from "../../models/query-rewriting-mode.ts"
import type { Collections } from "../collections/collections.ts"
import { combineRewritingModes } from "../rewriting/combine-rewriting-modes.ts"
import type { RewritingContext } from "../rewriting/question-rewriter.ts"
import type {
  Collection,
  CollectionSearchResult,
  FileReference,
  FoundPassage,
  RetrievalMode,
} from "../schema.ts"
import { isSearchable, type SearchableFiles } from "../search/searchable-files.ts"
import type { CollectionOverview } from "./collection-overview.ts"
import type { AddOwners } from "./file-owners.ts"
import type { SourceSelection } from "./source-selection.ts"

/** A passage as returned to clients; entry i is citation [i + 1]. */
export interface CitationSource {
  source: { id: string; name: string; type: "file" | "collection" }
  document: string[]
  metadata: Record<string, unknown>[]
  distances: number[]
  /** Set once the finished response refers to it. */
  cited?: boolean
}

export interface AnswerSources {
  passages: FoundPassage[]
  /** Null if no collection was searched. */
  overview: CollectionOverview | null
  sources: CitationSource[]
  sources_skipped: CollectionSearchResult["sources_skipped"]
}

interface Deps {
  searchableFiles: SearchableFiles
  collections: Collections
  selection: SourceSelection
  addOwners: AddOwners
}

type NamedCollection = Pick<Collection, "id" | "name" | "search" | "query_rewriting">

interface CitationScope {
  named: StoredFile[]
  /** By file id: the collection through which the file is searched. */
  collected: Map<string, { file: FileSummary; collection: NamedCollection }>
  modes: Set<RetrievalMode>
  rewritingModes: Set<QueryRewritingMode>
}

export const toSkippedFile = (
  file: FileSummary,
): CollectionSearchResult["sources_skipped"][number] => ({
  id: file.id,
  name: file.filename,
  status: file.status,
  reason:
    file.error ??
    (file.status === "stored"
      ? "The file was stored without being processed."
      : "The file is still being processed."),
})

/**
 * A collection attached to a model, accessible with its owner's permissions as well as the
 * caller's.
 */
export interface ModelCollection {
  id: string
  owner: Principal | undefined
}

/** The passage as a citation in a response. */
export const toCitationSource = (
  passage: FoundPassage,
  collection?: { id: string; name: string },
): CitationSource => {
  const { file_id, filename, text, start, end, score, reason } = passage
  const { date, date_of, owner, version } = passage
  const collectionFields = collection && {
    collection_id: collection.id,
    collection_name: collection.name,
  }
  return {
    source: { id: file_id, name: filename, type: "file" },
    document: [text],
    metadata: [
      {
        file_id,
        name: filename,
        ...Object.fromEntries(describeLocation(passage)),
        ...{ start, end, score, reason },
        ...(date !== null && { date, date_of, owner }),
        ...(version && { version }),
        ...collectionFields,
      },
    ],
    distances: [1 - score],
  }
}

/** How the model of a request lets its questions be rewritten. */
export type ModelRewriting = Omit<RewritingContext, "caller">

export interface SourceFinderRequest {
  references: readonly FileReference[]
  modelCollections: readonly ModelCollection[]
  question: string
  /** The previous question in the conversation. */
  previous?: string | undefined
  /** Missing if the question is searched as it is. */
  rewriting?: ModelRewriting
  signal: AbortSignal
}

/** Finds the sources for a question in the `files` of a completion request. */
export interface SourceFinder {
  /**
   * The sources for a question, as sent to the model.
   * @param request `maxTokens` is the context budget
   * @throws {Failure} `file_not_found`, `collection_not_found`, `file_unreadable` or
   * `file_not_ready`; `forbidden` if a service key refers to any
   */
  findSources(
    caller: Caller,
    request: SourceFinderRequest & { maxTokens: number },
  ): Promise<AnswerSources>
  /**
   * The best `limit` passages of the given files and collections.
   * @throws {Failure} as `findSources`
   */
  search(
    caller: Caller,
    request: SourceFinderRequest & { limit: number },
  ): Promise<{ passages: FoundPassage[]; sources: CitationSource[] }>
}

export const createSourceFinder = (deps: Deps): SourceFinder => {
  const { searchableFiles, collections, selection, addOwners } = deps

  const namedFile = async (caller: Caller, id: string, signal: AbortSignal) => {
    const param = "files"
    const found = await searchableFiles.find(caller, id, param)
    return searchableFiles.waitUntilSearchable(found, { param, signal })
  }

  const addCollection = async (scope: CitationScope, collection: NamedCollection) => {
    scope.modes.add(collection.search)
    scope.rewritingModes.add(collection.query_rewriting)
    for (const file of await collections.filesOf(collection.id)) {
      if (!scope.collected.has(file.id)) scope.collected.set(file.id, { file, collection })
    }
  }

  const namedCollection = async (caller: Caller, id: string) =>
    (await collections.find(caller, id)) ??
    fail("collection_not_found", `Collection "${id.slice(0, 200)}" not found.`, { param: "files" })

  const findModelCollection = async (caller: Caller, { id, owner }: ModelCollection) =>
    (await collections.find(caller, id)) ?? (owner && (await collections.find(owner, id)))

  const resolve = async (
    caller: Caller,
    { references, modelCollections, signal }: SourceFinderRequest,
  ): Promise<CitationScope> => {
    if (references.length > 0) rejectServiceKeys(caller, "files")
    const scope: CitationScope = {
      named: [],
      collected: new Map(),
      modes: new Set(),
      rewritingModes: new Set(),
    }
    const ids = Map.groupBy(references, ({ type }) => type)
    for (const { id } of ids.get("collection") ?? []) {
      await addCollection(scope, await namedCollection(caller, id))
    }
    for (const one of modelCollections) {
      const collection = await findModelCollection(caller, one)
      if (collection) await addCollection(scope, collection)
    }
    // In parallel, so that they share one wait.
    const unique = new Set((ids.get("file") ?? []).map(({ id }) => id))
    const named = [...unique].map((id) => namedFile(caller, id, signal))
    scope.named.push(...(await Promise.all(named)))
    return scope
  }

  /** The files of collections once they are processed, or when the wait times out. */
  const awaitProcessing = async (scope: CitationScope, signal: AbortSignal) => {
    const searchable: FileSummary[] = []
    const skipped: CollectionSearchResult["sources_skipped"] = []
    const all = [...scope.collected.values()].map(({ file }) => file)
    const latest = await searchableFiles.waitUntilSettled(all, signal)
    for (const file of all) {
      const last = latest.get(file.id) ?? file
      if (isSearchable(last)) searchable.push(last)
      else skipped.push(toSkippedFile(last))
    }
    return { searchable, skipped }
  }

  const prepare = async (caller: Caller, request: SourceFinderRequest) => {
    const scope = await resolve(caller, request)
    const { searchable, skipped } = await awaitProcessing(scope, request.signal)
    const namedIds = new Set(scope.named.map(({ id }) => id))
    const [only] = scope.modes
    const query = {
      userId: caller.user.id,
      question: request.question,
      previous: request.previous,
      mode: scope.modes.size === 1 && only ? only : ("hybrid" as const),
      rewriting: request.rewriting && {
        ...request.rewriting,
        caller,
        mode: combineRewritingModes([request.rewriting.mode, ...scope.rewritingModes]),
      },
      signal: request.signal,
    }
    const collected = searchable.filter(({ id }) => !namedIds.has(id))
    const toSource = (passage: FoundPassage): CitationSource =>
      toCitationSource(passage, scope.collected.get(passage.file_id)?.collection)
    return { query, named: scope.named, collected, skipped, toSource }
  }

  return {
    findSources: async (caller, request) => {
      const { query, named, collected, skipped, toSource } = await prepare(caller, request)
      const { passages, overview } = await selection.select({
        ...query,
        named,
        collected,
        maxTokens: request.maxTokens,
      })
      const owned = await addOwners(passages, [...named, ...collected])
      return { passages: owned, overview, sources: owned.map(toSource), sources_skipped: skipped }
    },

    search: async (caller, { limit, ...request }) => {
      const { query, named, collected, toSource } = await prepare(caller, request)
      const found = await selection.selectFirst({ ...query, named, collected, limit })
      const passages = await addOwners(found, [...named, ...collected])
      return { passages, sources: passages.map(toSource) }
    },
  }
}
