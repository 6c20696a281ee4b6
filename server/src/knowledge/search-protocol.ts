import type { LexicalHit } from "./bm25.ts"

/** Messages to the search worker, which caches the data of files within its memory limit. */
export type Asked =
  | {
      type: "search"
      id: number
      query: string
      files: { id: string; filename: string }[]
      limit: number
      /** The query's embedding in an index; null for lexical search only. */
      vector: { space: string; values: Float32Array } | null
      lexical: boolean
    }
  | { type: "given"; id: number; given: Given }
  | { type: "forget"; file: string }

export interface Given {
  words: { id: string; data: Uint8Array }[]
  vectors: { id: string; count: number; data: Uint8Array }[]
}

export interface DenseHit {
  file: number
  passage: number
  score: number
}

export type Answered =
  | { type: "missing"; id: number; words: string[]; vectors: string[]; space: string | null }
  | {
      type: "found"
      id: number
      lexical: LexicalHit[]
      dense: DenseHit[]
      /** Number of passages searched lexically. */
      total: number
    }
  | { type: "broke"; id: number; message: string }
