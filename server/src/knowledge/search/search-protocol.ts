import type { ScoredHit } from "@portico/search"

/** Messages to the search worker, which caches the data of files within its memory limit. */
export type SearchCommand =
  | {
      type: "search"
      id: number
      query: string
      files: { id: string; filename: string }[]
      limit: number
      /** The query's embedding in an index; null for lexical search only. */
      vector: { indexId: string; values: Float32Array } | null
      lexical: boolean
    }
  | { type: "given"; id: number; given: SearchData }
  /** Null: all files. */
  | { type: "forget"; file: string | null }

export interface SearchData {
  words: { id: string; data: Uint8Array }[]
  vectors: { id: string; count: number; data: Uint8Array }[]
}

export type SearchEvent =
  | { type: "missing"; id: number; words: string[]; vectors: string[]; indexId: string | null }
  | {
      type: "found"
      id: number
      lexical: ScoredHit[]
      dense: ScoredHit[]
      /** Number of passages searched lexically. */
      total: number
    }
  | { type: "broke"; id: number; message: string }
