import { sql } from "kysely"
import { z } from "zod"
import type { Database } from "../../db/database.ts"
import { type Collection, RetrievalMode } from "../schema.ts"
import type { RunReason } from "./schema.ts"

/**
 * What the results of a collection's questions depend on, other than the questions themselves. If
 * it is the same, another run has the same results.
 */
export const SearchFingerprint = z.object({
  /** Differs whenever a file was added, removed, read again or embedded. */
  filesDigest: z.string().default(""),
  search: RetrievalMode.default("hybrid"),
  /** The embedding model; null if there is none. */
  model: z.string().nullable().default(null),
  /** Tokens available for sources. */
  budget: z.int().default(0),
  /** Assumed of a model that reports none; a long question leaves less of it to the sources. */
  contextLength: z.int().default(0),
  reranker: z.string().default(""),
  /** The version of Portico, whose ranking may differ. */
  version: z.string().default(""),
})
export type SearchFingerprint = z.output<typeof SearchFingerprint>

export const parseFingerprint = (stored: string): SearchFingerprint =>
  SearchFingerprint.parse(JSON.parse(stored))

const isNewer = (version: string, other: string): boolean =>
  version.localeCompare(other, "en", { numeric: true }) > 0

/**
 * Why results have to be found again. Replicas that differ, as during an upgrade, agree on it: an
 * older version changes nothing, nor does a replica without a reranker.
 * @param earlier null if there was none @returns null if nothing has changed
 */
export const findChange = (
  earlier: SearchFingerprint | null,
  current: SearchFingerprint,
): RunReason | null => {
  if (!earlier) return "questions"
  if (isNewer(current.version, earlier.version)) return "version"
  if (earlier.model !== current.model) return "model"
  const isSameSetting =
    earlier.search === current.search &&
    earlier.budget === current.budget &&
    earlier.contextLength === current.contextLength &&
    (current.reranker === "" || earlier.reranker === current.reranker)
  if (!isSameSetting) return "settings"
  return earlier.filesDigest === current.filesDigest ? null : "files"
}

/** What is the same for all collections. */
export type SharedFingerprint = Omit<SearchFingerprint, "filesDigest" | "search" | "model">

interface Deps {
  db: Database
  shared: () => SharedFingerprint
  isSemanticSearchEnabled: () => boolean
  /** Whether this process can use an embedding model now. */
  isModelUsable: (model: string) => boolean
}

/** PostgreSQL returns sums as text. */
const Figure = z.coerce.number()
const Figures = z.object({
  files: Figure,
  searchable: Figure,
  revisions: Figure,
  passages: Figure,
  not_embedded: Figure,
  lacking_vectors: Figure,
  in_progress: Figure,
  last_added: Figure,
  last_id: z.string().nullable(),
})

export interface CollectionState {
  fingerprint: SearchFingerprint
  /** Whether files are still being processed or embedded. */
  hasFilesInProgress: boolean
  /** Whether this process can use the embedding model, if one is needed. */
  isModelUsable: boolean
}

/** Reads all files of a collection, which may be many. */
export const createFingerprintReader = (deps: Deps) => {
  const { db, shared, isSemanticSearchEnabled } = deps

  /** As all replicas see it: the model may be unavailable in one of them. */
  const readActiveIndex = async () => {
    const index = db.read.selectFrom("vector_spaces").select(["id", "model"])
    if (!isSemanticSearchEnabled()) return null
    return (await index.where("state", "=", "active").executeTakeFirst()) ?? null
  }

  return async ({ id, search }: Pick<Collection, "id" | "search">): Promise<CollectionState> => {
    const index = await readActiveIndex()
    const searchedIndex = search === "lexical" ? null : index
    const isLackingVectors = searchedIndex
      ? sql`passages is not null and status <> 'failed' and coalesce(embedding, '') <> 'failed'
          and passages > (select coalesce(sum(count), 0) from vector_batches
            where file_id = files.id and space_id = ${searchedIndex.id})`
      : sql`1 = 0`
    const { rows } = await sql`select count(*) as files,
      coalesce(sum(case when passages is null or status = 'failed' then 0 else 1 end), 0) as searchable,
      coalesce(sum(text_revision), 0) as revisions,
      coalesce(sum(passages), 0) as passages,
      coalesce(sum(case when embedding = 'failed' then 1 else 0 end), 0) as not_embedded,
      coalesce(sum(case when ${isLackingVectors} then 1 else 0 end), 0) as lacking_vectors,
      coalesce(sum(case when status in ('pending', 'processing') or embedding = 'pending'
        then 1 else 0 end), 0) as in_progress,
      coalesce(max(added_at), 0) as last_added,
      max(files.id) as last_id
      from collection_files join files on files.id = collection_files.file_id
      where collection_id = ${id}`.execute(db.backgroundReader)
    const { in_progress, ...figures } = Figures.parse(rows[0])
    const filesDigest = Object.values(figures).join(" ")
    return {
      fingerprint: { filesDigest, search, model: index?.model ?? null, ...shared() },
      hasFilesInProgress: in_progress > 0 || figures.lacking_vectors > 0,
      isModelUsable: searchedIndex === null || deps.isModelUsable(searchedIndex.model),
    }
  }
}

export type FingerprintReader = ReturnType<typeof createFingerprintReader>
