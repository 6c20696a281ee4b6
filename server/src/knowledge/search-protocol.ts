import type { LexicalHit } from "./bm25.ts"

/** What is asked of the worker; it holds what it was given of files, as long as there is room. */
export type Asked =
  | {
      type: "search"
      id: number
      query: string
      files: { id: string; filename: string }[]
      limit: number
      /** The query in one model's space; null searches by words only. */
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
      /** Passages whose words were searched. */
      total: number
    }
  | { type: "broke"; id: number; message: string }
