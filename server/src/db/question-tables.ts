/** A question that a collection must answer. */
export interface CollectionQuestionRow {
  id: string
  collection_id: string
  /** Order within the collection; gaps are possible. */
  position: number
  question: string
  /** The question before it in the conversation; "" if none. */
  previous: string
  /** The file with the answer; it may not exist any more. */
  file_id: string | null
  /** Finds a file that replaced it. */
  filename: string
  /** The passage with the answer; "" if any passage of the file will do. */
  quotation: string
  note: string
  /** Incremented by each change that makes the results invalid. */
  revision: number
  /** `unjudged`, `reached`, `lost`, `missed` or `undecided`. */
  state: string
  /** `QuestionResult` as JSON, and that of the run before. */
  result: string | null
  result_before: string | null
  /** When the passage last reached the model; null if never since the question was changed. */
  reached_at: number | null
  /** The run in progress that has judged it already, and its result. */
  pending_run_id: string | null
  pending_result: string | null
  created_at: number
  updated_at: number
}

/** One run of a collection's questions. */
export interface QuestionRunRow {
  id: string
  collection_id: string
  /** What it was started by: see `RunReason`. */
  reason: string
  /** `SearchFingerprint` as JSON; null until the run starts. */
  fingerprint: string | null
  /** Null while it waits or runs. */
  finished_at: number | null
  /** See `RunOutcome`; null while it waits or runs. */
  outcome: string | null
  /** The latest failure of the search: see `RunError`. */
  error: string | null
  /** 1 if it does not wait for files that are not ready. */
  is_partial: number
  total: number
  reached: number
  lost: number
  /** Null if nothing was ranked. */
  mean_rank: number | null
}

export interface QuestionTables {
  collection_questions: CollectionQuestionRow
  question_runs: QuestionRunRow
}
