import { z } from "zod"
import { PassageLocation, SectionLocation } from "../files/passage-location.ts"
import { FileRecord, FileStatuses } from "../files/schema.ts"
import { AccessGrants } from "../grants/schema.ts"
import { withMessage } from "../http/issue-messages.ts"
import { ListQuery } from "../http/pagination.ts"
import { translatable } from "../i18n/message.ts"
import { QueryRewritingMode } from "../models/query-rewriting-mode.ts"
import { RewritingReport } from "./rewriting/schema.ts"

export const RetrievalMode = z.enum(["hybrid", "lexical", "dense"])
export type RetrievalMode = z.output<typeof RetrievalMode>

const fields = {
  name: z
    .string()
    .trim()
    .min(1, withMessage(translatable("name_required")))
    .max(200),
  description: z.string().max(10_000),
  access_grants: AccessGrants,
  /** The retrieval mode: lexical, semantic, or both. */
  search: RetrievalMode,
  /** When questions are rewritten before the collection is searched. */
  query_rewriting: QueryRewritingMode,
}

export const Collection = z
  .object({
    id: z.string(),
    user_id: z.string(),
    ...fields,
    created_at: z.int(),
    updated_at: z.int(),
  })
  .meta({ id: "Collection" })
export type Collection = z.output<typeof Collection>

export const CollectionFile = FileRecord.pick({ id: true, meta: true, data: true })
  .extend({ filename: z.string(), status: z.string() })
  .meta({ id: "CollectionFile" })
export type CollectionFile = z.output<typeof CollectionFile>

/** Number of files in total and by status. */
export const FileCounts = z
  .object({
    total: z.int(),
    stored: z.int(),
    pending: z.int(),
    processing: z.int(),
    completed: z.int(),
    failed: z.int(),
  })
  .meta({ id: "FileCounts" })
export type FileCounts = z.output<typeof FileCounts>

export const CollectionWithFiles = Collection.extend({
  /** The owner's name. */
  user_name: z.string().nullable(),
  /**
   * Number of grants. Lists include only the first 20 in `access_grants`, grants to everyone first.
   */
  grant_count: z.int(),
  /**
   * The first files in the order they were added: 200 for one collection, 20 for each in a list.
   */
  files: z.array(CollectionFile),
  file_counts: FileCounts,
  /** The model for semantic search; null if the collection is searched by keywords only. */
  embedding_model: z.string().nullable(),
  /** Number of its questions whose passage reached the model in an earlier run, but does not now. */
  lost_questions: z.int(),
}).meta({ id: "CollectionWithFiles" })
export type CollectionWithFiles = z.output<typeof CollectionWithFiles>

export const NewCollection = z
  .object({
    name: fields.name,
    description: fields.description.default(""),
    access_grants: AccessGrants.default([]),
    search: RetrievalMode.default("hybrid"),
    query_rewriting: QueryRewritingMode.default("automatic"),
  })
  .meta({ id: "NewCollection" })
export type NewCollection = z.output<typeof NewCollection>

export const CollectionChanges = z.object(fields).partial().meta({ id: "CollectionChanges" })
export type CollectionChanges = z.output<typeof CollectionChanges>

export const CollectionListQuery = ListQuery.extend({
  order_by: z.enum(["name", "created_at", "updated_at"]).default("updated_at"),
  direction: z.enum(["asc", "desc"]).default("desc"),
})
export type CollectionListQuery = z.output<typeof CollectionListQuery>

export const CollectionFileQuery = ListQuery.pick({
  page: true,
  page_size: true,
  query: true,
}).extend({
  status: FileStatuses.optional(),
})
export type CollectionFileQuery = z.output<typeof CollectionFileQuery>

export const FileId = z.object({ file_id: z.string().min(1).max(200) }).meta({ id: "FileId" })
export const FileIds = z.array(FileId).min(1).max(1000).meta({ id: "FileIds" })

export const FilePassage = z
  .object({
    /** Index of the passage in the file, from 0. */
    position: z.int(),
    /** UTF-16 offsets in the file's text. */
    start: z.int(),
    end: z.int(),
    text: z.string(),
    ...PassageLocation.shape,
  })
  .meta({ id: "FilePassage" })
export type FilePassage = z.output<typeof FilePassage>

export const PassageQuery = ListQuery.pick({ page: true, page_size: true }).extend({
  /** UTF-16 offset in the text; returns the page that contains it and ignores `page`. */
  at: z.coerce.number<string>().int().min(0).optional(),
})
export type PassageQuery = z.output<typeof PassageQuery>

export const SoughtPassage = z
  .object({
    text: z.string().min(1).max(100_000),
    /** UTF-16 offset where the passage was once; the nearest of several places is found. */
    near: z.int().min(0).default(0),
  })
  .meta({ id: "SoughtPassage" })
export type SoughtPassage = z.output<typeof SoughtPassage>

export const LocatedPassage = z
  .object({
    /** UTF-16 offsets in the file's text; null if the passage is not in it any more. */
    found: z.object({ start: z.int(), end: z.int() }).nullable(),
  })
  .meta({ id: "LocatedPassage" })
export type LocatedPassage = z.output<typeof LocatedPassage>

export const FileOutline = z
  .object({
    /** Each page, slide, sheet or heading once, with the offset at which it starts. */
    items: z.array(z.object({ start: z.int(), ...SectionLocation.shape })),
  })
  .meta({ id: "FileOutline" })
export type FileOutline = z.output<typeof FileOutline>

export const FileCollections = z
  .object({ items: z.array(z.object({ id: z.string(), name: z.string() })) })
  .meta({ id: "FileUsedIn" })
export type FileCollections = z.output<typeof FileCollections>

export const CollectionQuery = z
  .object({
    query: z
      .string()
      .trim()
      .min(1, withMessage(translatable("question_required")))
      .max(10_000),
    /** The previous question in the conversation, for follow-ups such as "And on Sundays?". */
    previous: z.string().trim().max(10_000).optional(),
    /** The answer to it, which only the rewriting of the question reads. */
    previous_answer: z.string().trim().max(100_000).optional(),
    /** The model of the chat, whose context length limits the sources. */
    model: z.string().min(1).max(300).optional(),
    k: z.int().min(1).max(300).default(10),
  })
  .meta({ id: "KnowledgeQuestion" })
export type CollectionQuery = z.output<typeof CollectionQuery>

/** A file or collection that a request names as a source. */
export const FileReference = z.looseObject({
  type: z.enum(["file", "collection"]),
  id: z.string().min(1).max(200),
})
export type FileReference = z.output<typeof FileReference>

/** The rank of a passage in one ranking, from 1, and its score. */
const RankedScore = z.object({ rank: z.int(), score: z.number() })

/**
 * Why a passage is sent to the model: it was found by the search (`passage`), its file is sent
 * whole (`whole`), or its file is attached but too large, so that its headings (`outline`) and the
 * openings of its parts (`opening`) are sent.
 */
export const SourceExtent = z.enum(["passage", "whole", "outline", "opening"])
export type SourceExtent = z.output<typeof SourceExtent>

/** Whether a date is stated by the document or is that of its upload. */
export const DateOrigin = z.enum(["document", "upload"])
export type DateOrigin = z.output<typeof DateOrigin>

/** Where a file stands among those that are versions of one document. */
export const PassageVersion = z
  .object({
    /** From 1, the newest. */
    position: z.int(),
    total: z.int(),
    newest: z.object({ file_id: z.string(), filename: z.string(), date: z.int() }),
  })
  .meta({ id: "PassageVersion" })
export type PassageVersion = z.output<typeof PassageVersion>

export const FoundPassage = z
  .object({
    file_id: z.string(),
    filename: z.string(),
    /** When the file was last changed as it says, or else uploaded; null if it is no file. */
    date: z.int().nullable(),
    date_of: DateOrigin.nullable(),
    /** The name of the file's owner; null if the account was deleted. */
    owner: z.string().nullable(),
    /** Null unless several versions of the document are searched. */
    version: PassageVersion.nullable(),
    text: z.string(),
    ...PassageLocation.shape,
    /** UTF-16 offsets in the file's text; both 0 for an outline, which is not part of the text. */
    start: z.int(),
    end: z.int(),
    /** From 0 to 1, the best passage of this search; only meaningful for ordering. */
    score: z.number(),
    /** BM25; null unless among the best 100. */
    lexical: RankedScore.nullable(),
    /** Cosine similarity; null unless among the best 100. */
    dense: RankedScore.nullable(),
    /** From the rerank endpoint; null if there is none, or if it did not respond. */
    reranked: RankedScore.nullable(),
    reason: SourceExtent,
    /**
     * Why the passage is used although others rank above it: it is among the top three of a ranking
     * (`lexical`, `dense`), or among the best in its language (`language`).
     */
    reserved: z.enum(["lexical", "dense", "language"]).nullable(),
    /** Found only through the previous question. */
    from_previous: z.boolean(),
    /** The rewritten query that found the passage; null if the question itself did. */
    found_by: z.string().nullable(),
    /** Number of adjacent passages merged into this one; 1 if not merged. */
    merged: z.int(),
    /** Whether the passage is sent to the model. */
    used: z.boolean(),
    /**
     * Why the passage is not sent: its text is sent already (`duplicate`), it does not fit the rest
     * of the context budget (`budget`), the maximum number of passages is sent already (`rank`), or
     * newer versions of it are sent (`older`).
     */
    left_out: z.enum(["duplicate", "budget", "rank", "older"]).nullable(),
  })
  .meta({ id: "FoundPassage" })
export type FoundPassage = z.output<typeof FoundPassage>

export const CollectionSearchResult = z
  .object({
    passages: z.array(FoundPassage),
    /** Tokens available for sources, tokens used, and number of passages used. */
    budget: z.object({ tokens: z.int(), used: z.int(), passages: z.int() }),
    /** The retrieval mode that was used; `note` explains why it differs from the requested one. */
    search: RetrievalMode,
    note: z.string().nullable(),
    embedding_model: z.string().nullable(),
    /** Number of files with passages that can only be found by keywords so far. */
    partly_embedded: z.int(),
    /** What rewriting the question has done. */
    rewriting: RewritingReport.nullable(),
    /** Files that cannot be searched, or not yet. */
    sources_skipped: z.array(
      z.object({ id: z.string(), name: z.string(), status: z.string(), reason: z.string() }),
    ),
  })
  .meta({ id: "Findings" })
export type CollectionSearchResult = z.output<typeof CollectionSearchResult>
