import { z } from "zod"
import { maxRows } from "../../db/max-rows.ts"
import { withMessage } from "../../http/issue-messages.ts"
import { IdParams, ListQuery } from "../../http/pagination.ts"
import { translatable } from "../../i18n/message.ts"
import { RetrievalMode } from "../schema.ts"

/**
 * `unjudged`: not judged since it was written or changed; `reached`: its passage reaches the model;
 * `lost`: it did in an earlier run, and does not now; `missed`: it never did; `undecided`: the search
 * failed, or files were not ready, so that it does not count that its passage was not found.
 */
export const QuestionState = z.enum(["unjudged", "reached", "lost", "missed", "undecided"])
export type QuestionState = z.output<typeof QuestionState>

/**
 * Why a passage does not reach the model: its file was deleted or removed from the collection
 * (`file_gone`), cannot be searched (`file_not_ready`), does not contain the passage any more
 * (`passage_gone`); or other passages rank higher (`rank`), use up the context budget
 * (`budget`), or are from newer versions of the file (`older`); or the search failed (`error`).
 */
export const MissReason = z.enum([
  "file_gone",
  "file_not_ready",
  "passage_gone",
  "rank",
  "budget",
  "older",
  "error",
])
export type MissReason = z.output<typeof MissReason>

export const QuestionResult = z
  .object({
    reached: z.boolean(),
    /** From 1; null if the passage is not among those found, or if the collection is sent whole. */
    rank: z.int().nullable(),
    /** Null if the passage reaches the model. */
    reason: MissReason.nullable(),
    /** The file, or the one that replaced it under its name; null if there is none. */
    file_id: z.string().nullable(),
    /** UTF-16 offset of the quotation in the file's text; null if none is expected or it is gone. */
    start: z.int().nullable(),
    at: z.int(),
  })
  .meta({ id: "QuestionResult" })
export type QuestionResult = z.output<typeof QuestionResult>

const fields = {
  question: z
    .string()
    .trim()
    .min(1, withMessage(translatable("question_required")))
    .max(2000),
  /** The question before it in the conversation, for follow-ups such as "And on Sundays?". */
  previous: z.string().trim().max(2000),
  /** The passage with the answer, as in the file; empty if any passage of the file will do. */
  quotation: z.string().trim().max(5000),
  note: z.string().trim().max(1000),
}
const FileId = z
  .string()
  .min(1, withMessage(translatable("file_required")))
  .max(200)
const Filename = z.string().min(1).max(1000)

export const CollectionQuestion = z
  .object({
    id: z.string(),
    ...fields,
    /** The file with the answer; null if no file had its name when the question was imported. */
    file_id: z.string().nullable(),
    filename: z.string(),
    state: QuestionState,
    /** Of the latest run; null while the state is `unjudged`. */
    result: QuestionResult.nullable(),
    /** Of the run before it, with other files or settings. */
    result_before: QuestionResult.nullable(),
    created_at: z.int(),
    updated_at: z.int(),
  })
  .meta({ id: "CollectionQuestion" })
export type CollectionQuestion = z.output<typeof CollectionQuestion>

export const NewQuestion = z
  .object({
    question: fields.question,
    previous: fields.previous.default(""),
    /** A file of the collection. */
    file_id: FileId,
    quotation: fields.quotation.default(""),
    note: fields.note.default(""),
  })
  .meta({ id: "NewQuestion" })
export type NewQuestion = z.output<typeof NewQuestion>

export const QuestionChanges = z
  .object({ ...fields, file_id: FileId })
  .partial()
  .meta({ id: "QuestionChanges" })
export type QuestionChanges = z.output<typeof QuestionChanges>

export const QuestionListQuery = ListQuery.pick({
  page: true,
  page_size: true,
  query: true,
}).extend({ state: QuestionState.optional() })
export type QuestionListQuery = z.output<typeof QuestionListQuery>

export const QuestionParams = IdParams.extend({ question_id: z.string().min(1).max(200) })

/** A question set as a file: `npm run bench:answers -- --set` reads the same format. */
export const QuestionSetFile = z
  .object({
    questions: z
      .array(
        z.object({
          question: fields.question,
          previous: fields.previous.default(""),
          /** The name of the file with the answer. */
          filename: Filename,
          quotation: fields.quotation.default(""),
          note: fields.note.default(""),
        }),
      )
      .min(1)
      .max(maxRows.questionsPerCollection),
  })
  .meta({ id: "QuestionSetFile" })
export type QuestionSetFile = z.output<typeof QuestionSetFile>
export type QuestionInFile = QuestionSetFile["questions"][number]

/** The same, but possibly without questions. */
export const ExportedQuestionSet = QuestionSetFile.extend({
  questions: z.array(QuestionSetFile.shape.questions.element),
}).meta({ id: "ExportedQuestionSet" })

export const ImportedQuestions = z
  .object({
    /** Ids of new questions. */
    created: z.array(z.string()),
    /** Ids of known questions that got another quotation or note. */
    updated: z.array(z.string()),
    /** File names that the collection does not have; their questions stay `file_gone`. */
    unknown_files: z.array(z.string()),
  })
  .meta({ id: "ImportedQuestions" })
export type ImportedQuestions = z.output<typeof ImportedQuestions>

/** The change that started a run; `requested`: somebody did, with **Run now**. */
export const RunReason = z.enum(["requested", "questions", "files", "model", "settings", "version"])
export type RunReason = z.output<typeof RunReason>

/** What did not respond: the embedding model, the reranker, or Portico itself (`internal`). */
export const RunError = z.enum(["embedding_model", "reranker", "internal"])
export type RunError = z.output<typeof RunError>

/**
 * `incomplete`: files were not ready, or the search failed for some questions; `failed`: it failed
 * for all, or for too many, and their results did not change.
 */
const RunOutcome = z.enum(["complete", "incomplete", "failed"])

export const QuestionRun = z
  .object({
    id: z.string(),
    reason: RunReason,
    finished_at: z.int(),
    outcome: RunOutcome,
    /** Why the search failed; null if it did not. */
    error: RunError.nullable(),
    /** Number of questions, of those whose passage reaches the model, and of those `lost`. */
    total: z.int(),
    reached: z.int(),
    lost: z.int(),
    /** Mean rank of the passages that were found; null if none was ranked. */
    mean_rank: z.number().nullable(),
    /** What the collection was searched with. */
    search: RetrievalMode,
    embedding_model: z.string().nullable(),
    token_budget: z.int(),
  })
  .meta({ id: "QuestionRun" })
export type QuestionRun = z.output<typeof QuestionRun>

export const QuestionSetStatus = z
  .object({
    /**
     * `idle`; `scheduled`: a run starts within seconds; `waiting`: it starts once all files are
     * processed and embedded; `running`.
     */
    status: z.enum(["idle", "scheduled", "waiting", "running"]),
    /** Questions that the run in progress has judged, of all questions. */
    judged: z.int(),
    total: z.int(),
    /** Number of questions by state. */
    counts: z.object({
      unjudged: z.int(),
      reached: z.int(),
      lost: z.int(),
      missed: z.int(),
      undecided: z.int(),
    }),
    /** What the run in progress waits for, or why the latest one has failed. */
    error: RunError.nullable(),
    /** The latest runs, newest first; one that succeeded for each state of files and settings. */
    runs: z.array(QuestionRun),
  })
  .meta({ id: "QuestionSetStatus" })
export type QuestionSetStatus = z.output<typeof QuestionSetStatus>
