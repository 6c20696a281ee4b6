import type { Generated } from "kysely"

export interface FileRow {
  id: string
  user_id: string
  /** SHA-256 of the content in hex; also its storage key. */
  hash: string
  filename: string
  /** `filename` with its case folded. */
  filename_key: string
  content_type: string
  /** Bytes. */
  size: number
  /** JSON object: metadata given by the uploader. */
  metadata: string
  status: string
  error: string | null
  /** Why processing failed; null also for files that failed before codes existed. */
  error_code: string | null
  /** JSON: what pages translate `error` by; null if they show it in English. */
  error_reference: string | null
  /** JSON array of messages about what was not read, or not for certain. */
  warnings: Generated<string>
  /** The owner's choice for a text file; null if the encoding is detected. */
  encoding: string | null
  /** The version of the text extraction that its text comes from. */
  reader_version: Generated<number>
  /** The newest version that has tried to read it. */
  attempted_reader_version: Generated<number>
  /** Incremented whenever its text is replaced. */
  text_revision: Generated<number>
  /** `pending` or `failed`; null if there is nothing to embed. */
  embedding: string | null
  /** Characters of its text; null until it was extracted. */
  text_length: number | null
  pages: number | null
  /** Set once its passages are searchable. */
  passages: number | null
  /** Format detected from the content, such as `pdf`. */
  format: string | null
  /** When the document says that it was last changed; null if it does not. */
  document_date: number | null
  /** ISO 639-1 code of the text's language; null if it was not recognized. */
  language: string | null
  created_at: number
  updated_at: number
}

/** A resumable upload; it becomes the file of the same id. */
export interface UploadRow {
  id: string
  user_id: string
  /** Total bytes. */
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

interface FileTextRow {
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
  /** `PassageLocation` as JSON. */
  place: string
}

/** Tokens of one file's passages, as packed by `files/tokenizer.ts`. */
interface FileTokensRow {
  file_id: string
  data: Uint8Array
}

/** Vectors of a file's passages from position `first`, in one embedding index. */
interface VectorBatchRow {
  file_id: string
  space_id: string
  first: number
  count: number
  /** int8 components, after one float32 scale per vector. */
  coarse: Uint8Array
  /** float32 components. */
  exact: Uint8Array
}

export interface EmbeddingIndexRow {
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
  /** Concurrency key: jobs with the same value run one at a time. */
  turn: string
  attempts: number
  /** Epoch milliseconds; 0 means immediately. */
  run_at: number
  /** Changes each time the lease is renewed. */
  lease_until: number
  /** The run that holds the lease. */
  holder: string | null
  error: string | null
  created_at: number
  /** The user whose share of processing time it uses; "" if none. */
  owner: string
  /** 1 once it has run too long for the slots reserved for quick jobs. */
  slow: number
  /** Incremented when the job is requested again. */
  revision: number
}

/** Scheduling state of an owner with jobs of a kind. */
interface JobOwnerRow {
  kind: string
  owner: string
  /** Milliseconds of work done for the owner; the value of "" is the virtual time of the queue. */
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
  /** `off`, `on` or `automatic`. */
  query_rewriting: Generated<string>
  created_at: number
  updated_at: number
}

interface CollectionFileRow {
  collection_id: string
  file_id: string
  added_at: Generated<number>
}

export interface FileTables {
  files: FileRow
  uploads: UploadRow
  file_texts: FileTextRow
  passages: PassageRow
  file_words: FileTokensRow
  vector_spaces: EmbeddingIndexRow
  vector_batches: VectorBatchRow
  collections: CollectionRow
  collection_files: CollectionFileRow
  jobs: JobRow
  job_owners: JobOwnerRow
}
