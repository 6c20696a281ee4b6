import { z } from "zod"
import { Place } from "../files/location.ts"
import { FileRecord, FileStatuses } from "../files/schema.ts"
import { AccessGrants } from "../grants/schema.ts"
import { ListQuery } from "../http/pagination.ts"

export const SearchWay = z.enum(["hybrid", "lexical", "dense"])
export type SearchWay = z.output<typeof SearchWay>

const fields = {
  name: z.string().trim().min(1, "must not be empty").max(200),
  description: z.string().max(10_000),
  access_grants: AccessGrants,
  /** By words, by meaning, or both. */
  search: SearchWay,
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

/** How many files there are, in all and by their status. */
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
  /** In a list `access_grants` has the first 20 of them, those to everyone first; else it has all. */
  grant_count: z.int(),
  /** The first of them in the order of their adding: 200 of one collection, 20 of each in a list. */
  files: z.array(CollectionFile),
  file_counts: FileCounts,
  /** What passages are found by their meaning with; null where they are found by words only. */
  embedding_model: z.string().nullable(),
}).meta({ id: "CollectionWithFiles" })
export type CollectionWithFiles = z.output<typeof CollectionWithFiles>

export const NewCollection = z
  .object({
    name: fields.name,
    description: fields.description.default(""),
    access_grants: AccessGrants.default([]),
    search: SearchWay.default("hybrid"),
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
    /** Within the file, from 0. */
    position: z.int(),
    /** UTF-16 offsets in the file's text. */
    start: z.int(),
    end: z.int(),
    text: z.string(),
    ...Place.shape,
  })
  .meta({ id: "FilePassage" })
export type FilePassage = z.output<typeof FilePassage>

export const PassageQuery = ListQuery.pick({ page: true, page_size: true }).extend({
  /** The page that has this place in the text, whatever `page` says. In UTF-16 units. */
  at: z.coerce.number<string>().int().min(0).optional(),
})
export type PassageQuery = z.output<typeof PassageQuery>

export const FileOutline = z
  .object({
    /** Each page, slide, sheet or heading once, where it begins in the text. */
    items: z.array(z.object({ start: z.int(), ...Place.omit({ row: true }).shape })),
  })
  .meta({ id: "FileOutline" })
export type FileOutline = z.output<typeof FileOutline>

export const UsedIn = z
  .object({ items: z.array(z.object({ id: z.string(), name: z.string() })) })
  .meta({ id: "FileUsedIn" })
export type UsedIn = z.output<typeof UsedIn>

export const Question = z
  .object({
    query: z.string().trim().min(1, "must not be empty").max(10_000),
    /** The question before it in the conversation, for a follow-up such as "And on Sundays?". */
    previous: z.string().trim().max(10_000).optional(),
    k: z.int().min(1).max(100).default(10),
  })
  .meta({ id: "KnowledgeQuestion" })
export type Question = z.output<typeof Question>

/** Where a passage stands in one ranking, from 1 on, and its score there. */
export const RankedScore = z.object({ rank: z.int(), score: z.number() })
export type RankedScore = z.output<typeof RankedScore>

/**
 * Why a passage is given to the model: the search found it (`passage`), its file is given whole
 * (`whole`), or its file is named and too large, so that its headings (`outline`) and the beginning
 * of its parts (`opening`) are given.
 */
export const SourceReason = z.enum(["passage", "whole", "outline", "opening"])
export type SourceReason = z.output<typeof SourceReason>

export const FoundPassage = z
  .object({
    file_id: z.string(),
    filename: z.string(),
    text: z.string(),
    ...Place.shape,
    /** UTF-16 offsets in the file's text; both 0 for an outline, which is no part of it. */
    start: z.int(),
    end: z.int(),
    /** 0 to 1, where 1 is the best passage of this search; of use for order only. */
    score: z.number(),
    /** BM25; null outside the best 100. */
    lexical: RankedScore.nullable(),
    /** Cosine similarity; null outside the best 100. */
    dense: RankedScore.nullable(),
    /** By the rerank endpoint; null where there is none, or it did not answer. */
    reranked: RankedScore.nullable(),
    reason: SourceReason,
    /** The ranking whose first three passages always have a place, if it has one for that. */
    reserved: z.enum(["lexical", "dense"]).nullable(),
    /** Found only with the help of the previous question. */
    from_previous: z.boolean(),
    /** How many adjacent passages it was merged from; 1 where it was not. */
    merged: z.int(),
    /** Whether the model is given it. */
    used: z.boolean(),
    /**
     * Why not: the same text is given already (`duplicate`), there is no space left (`budget`), or
     * those that were ranked above it are enough (`rank`).
     */
    left_out: z.enum(["duplicate", "budget", "rank"]).nullable(),
  })
  .meta({ id: "FoundPassage" })
export type FoundPassage = z.output<typeof FoundPassage>

export const Findings = z
  .object({
    passages: z.array(FoundPassage),
    /** Tokens that sources may take, what those given to the model take, and how many those are. */
    budget: z.object({ tokens: z.int(), used: z.int(), passages: z.int() }),
    /** How it was searched, and what was missing for more. */
    search: SearchWay,
    note: z.string().nullable(),
    embedding_model: z.string().nullable(),
    /** Files some of whose passages can only be found by keywords yet. */
    partly_embedded: z.int(),
    /** Files that cannot be searched (yet). */
    sources_skipped: z.array(
      z.object({ id: z.string(), name: z.string(), status: z.string(), reason: z.string() }),
    ),
  })
  .meta({ id: "Findings" })
export type Findings = z.output<typeof Findings>
