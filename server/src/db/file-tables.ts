import type { Generated } from "kysely"

export interface FileRow {
  id: string
  user_id: string
  /** SHA-256 of the bytes in hex; where they lie. */
  hash: string
  filename: string
  /** `filename` with its case folded. */
  filename_key: string
  content_type: string
  /** Bytes. */
  size: number
  /** JSON object: what the uploader said of it. */
  metadata: string
  status: string
  error: string | null
  /** Characters of its text; null until it was extracted. */
  text_length: number | null
  pages: number | null
  /** Set once its passages are searchable. */
  passages: number | null
  /** What it is by its bytes, such as `pdf`. */
  format: string | null
  created_at: number
  updated_at: number
}

/** An upload that may be resumed; it becomes the file of the same id. */
export interface UploadRow {
  id: string
  user_id: string
  /** Bytes of the whole. */
  size: number
  filename: string
  content_type: string
  /** JSON object. */
  metadata: string
  /** 0 only stores the file. */
  process: number
  created_at: number
  expires_at: number
}

export interface FileTextRow {
  file_id: string
  text: string
}

export interface PassageRow {
  file_id: string
  /** Within the file, from 0. */
  position: number
  /** UTF-16 offsets in the file's text. */
  starts: number
  ends: number
  text: string
  /** JSON object: page, slide, sheet, heading. */
  place: string
}

/** The words of one file's passages, as `files/tokenizer.ts` packs them. */
export interface FileWordsRow {
  file_id: string
  data: Uint8Array
}

/** Vectors of a file's passages from `first` on, in one model's space. */
export interface VectorBatchRow {
  file_id: string
  space_id: string
  first: number
  count: number
  /** One int8 a component, after one float32 scale a vector. */
  coarse: Uint8Array
  /** float32 components. */
  exact: Uint8Array
}

export interface VectorSpaceRow {
  id: string
  model: string
  /** `building`, `active` or `retired`. */
  state: string
  dimensions: number | null
  created_at: number
}

export interface JobRow {
  id: string
  kind: string
  target: string
  /** Of the jobs that share one, one runs at a time. */
  turn: string
  attempts: number
  /** Epoch milliseconds; 0 is at once. */
  run_at: number
  /** Another number each time the lease is renewed. */
  lease_until: number
  /** Which run holds the lease. */
  holder: string | null
  error: string | null
  created_at: number
  /** The user whose share of the time it takes; "" is nobody's in particular. */
  owner: string
  /** 1 once it has taken longer than a place for quick jobs is given away for. */
  slow: number
  /** Raised when the job is asked for again. */
  revision: number
}

/** An owner who has jobs of a kind. */
export interface JobOwnerRow {
  kind: string
  owner: string
  /** Milliseconds of work done for the owner; that of "" is where the queue as a whole is. */
  virtual_time: number
}

export interface CollectionRow {
  id: string
  user_id: string
  name: string
  name_key: string
  description: string
  /** `hybrid`, `lexical` or `dense`. */
  search: string
  created_at: number
  updated_at: number
}

export interface CollectionFileRow {
  collection_id: string
  file_id: string
  added_at: Generated<number>
}
