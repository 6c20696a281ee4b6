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

/** @param earlier null if there was none @returns null if they are the same */
export const findChange = (
  earlier: SearchFingerprint | null,
  state: SearchFingerprint,
): RunReason | null => {
  if (!earlier) return "questions"
  if (earlier.version !== state.version) return "version"
  if (earlier.model !== state.model) return "model"
  const isSameSetting =
    earlier.search === state.search &&
    earlier.budget === state.budget &&
    earlier.contextLength === state.contextLength &&
    earlier.reranker === state.reranker
  if (!isSameSetting) return "settings"
  return earlier.filesDigest === state.filesDigest ? null : "files"
}

/** What is the same for all collections. */
export type SharedFingerprint = Omit<SearchFingerprint, "filesDigest" | "search">

interface Deps {
  db: Database
  shared: () => SharedFingerprint
}

/** PostgreSQL returns sums as text. */
const Figure = z.coerce.number()
const Figures = z.object({
  files: Figure,
  searchable: Figure,
  revisions: Figure,
  passages: Figure,
  not_embedded: Figure,
  in_progress: Figure,
  last_added: Figure,
  last_id: z.string().nullable(),
})

/** Reads all files of a collection, which may be many. */
export const createFingerprintReader =
  ({ db, shared }: Deps) =>
  async ({
    id,
    search,
  }: Pick<Collection, "id" | "search">): Promise<{
    state: SearchFingerprint
    /** Files that are still being processed or embedded. */
    filesInProgress: number
  }> => {
    const { rows } = await sql`select count(*) as files,
      coalesce(sum(case when passages is null or status = 'failed' then 0 else 1 end), 0) as searchable,
      coalesce(sum(text_revision), 0) as revisions,
      coalesce(sum(passages), 0) as passages,
      coalesce(sum(case when embedding = 'failed' then 1 else 0 end), 0) as not_embedded,
      coalesce(sum(case when status in ('pending', 'processing') or embedding = 'pending'
        then 1 else 0 end), 0) as in_progress,
      coalesce(max(added_at), 0) as last_added,
      max(files.id) as last_id
      from collection_files join files on files.id = collection_files.file_id
      where collection_id = ${id}`.execute(db.backgroundReader)
    const { in_progress, ...figures } = Figures.parse(rows[0])
    const filesDigest = Object.values(figures).join(" ")
    return { state: { filesDigest, search, ...shared() }, filesInProgress: in_progress }
  }

export type FingerprintReader = ReturnType<typeof createFingerprintReader>
