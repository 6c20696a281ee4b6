import { textEncodings, unreadableCodes } from "@portico/extract"
import { z } from "zod"
import { MessageReference } from "../http/message-reference.ts"
import { ListQuery } from "../http/pagination.ts"
import { FileWarning } from "./file-warnings.ts"

export const FileStatus = z.enum(["stored", "pending", "processing", "completed", "failed"])
export type FileStatus = z.output<typeof FileStatus>

/** Why a file could not be processed; `internal` is a failure that is not the file's. */
export const ProcessingErrorCode = z.enum([
  ...unreadableCodes,
  "storage_limit",
  "missing",
  "internal",
])
export type ProcessingErrorCode = z.output<typeof ProcessingErrorCode>

/**
 * The embedding of a searchable file: `pending`, `failed` (it is retried), or null if every passage
 * is embedded or there is no embedding model.
 */
export const EmbeddingState = z.enum(["pending", "failed"]).nullable()
export type EmbeddingState = z.output<typeof EmbeddingState>

/** Processing progress of a file. */
const FileProgress = z
  .object({
    /** Null until counted, and for formats without pages. */
    pages: z.int().nullable(),
    /** Null until lexical search can find the file. */
    passages: z.int().nullable(),
    /** Passages that have an embedding. */
    embedded: z.int(),
  })
  .meta({ id: "FileProgress" })

export const FileRecord = z
  .object({
    id: z.string(),
    user_id: z.string(),
    filename: z.string(),
    /** SHA-256 of the content, in hex. */
    hash: z.string(),
    meta: z.object({
      name: z.string(),
      content_type: z.string(),
      size: z.int(),
      /** Detected format, such as `pdf`. */
      format: z.string().nullable(),
      /** When the document says that it was last changed; null if it does not. */
      document_date: z.int().nullable(),
      /** ISO 639-1 code of the text's language; null if it was not recognized. */
      language: z.string().nullable(),
      /** The upload's `metadata` part. */
      data: z.record(z.string(), z.unknown()),
    }),
    data: z.object({
      status: FileStatus,
      /** User-facing message if the status is `failed`. */
      error: z.string().nullable(),
      error_code: ProcessingErrorCode.nullable(),
      error_reference: MessageReference.nullable(),
      /** What was not read, or not for certain. */
      warnings: z.array(FileWarning),
      /** The owner's choice for a text file; null if its encoding is detected. */
      encoding: z.string().nullable(),
      embedding: EmbeddingState,
      progress: FileProgress,
    }),
    created_at: z.int(),
    updated_at: z.int(),
  })
  .meta({ id: "File" })
export type FileRecord = z.output<typeof FileRecord>

export const FileWithOwner = FileRecord.extend({
  /** The owner's name. */
  user_name: z.string().nullable(),
}).meta({ id: "FileWithOwner" })
export type FileWithOwner = z.output<typeof FileWithOwner>

const Flag = z
  .enum(["true", "false", "1", "0"])
  .transform((text) => text === "true" || text === "1")

/** Multipart form of an upload, for the API documentation only; bodies are streamed. */
export const UploadForm = z.object({
  file: z.file(),
  metadata: z.string().optional().describe("A JSON object stored with the file"),
})

export const UploadQuery = z.object({
  /** False stores the file without processing it. */
  process: Flag.default(true),
  /** False delays the response until processing has finished. */
  process_in_background: Flag.default(true),
})

/** Progress of a resumable upload. */
export const UploadProgress = z
  .object({
    /** Bytes received. */
    offset: z.int(),
    size: z.int(),
    /** Null once complete; the file then has the same id. */
    expires_at: z.int().nullable(),
  })
  .meta({ id: "UploadProgress" })
export type UploadProgress = z.output<typeof UploadProgress>

export const ProcessRequest = z
  .object({
    /**
     * How to decode a text file; null detects its encoding. Kept when it is omitted, and for files
     * that are read again after an upgrade.
     */
    encoding: z.string().max(40).meta({ enum: textEncodings }).nullable().optional(),
  })
  .meta({ id: "ProcessRequest" })
export type ProcessRequest = z.output<typeof ProcessRequest>

export const StatusQuery = z.object({ stream: Flag.default(false) })

export const ProcessStatus = FileRecord.shape.data.meta({ id: "FileProcessStatus" })
export type ProcessStatus = z.output<typeof ProcessStatus>

export const FileText = z
  .object({
    content: z.string(),
    /**
     * Offset of `content` in the full text, in UTF-16 units; `length` is the full text's length.
     */
    start: z.int(),
    length: z.int(),
  })
  .meta({ id: "FileText" })
export type FileText = z.output<typeof FileText>

const Offset = z.coerce.number<string>().int().min(0)

/** Range of the text; the default is all of it. */
export const TextQuery = z.object({ start: Offset.default(0), end: Offset.optional() })
export type TextQuery = z.output<typeof TextQuery>

/** One or more statuses, comma-separated. */
export const FileStatuses = z
  .string()
  .transform((list) => list.split(","))
  .pipe(z.array(FileStatus))

export const FileListQuery = ListQuery.extend({
  order_by: z.enum(["created_at", "filename", "size"]).default("created_at"),
  direction: z.enum(["asc", "desc"]).default("desc"),
  status: FileStatuses.optional(),
})
export type FileListQuery = z.output<typeof FileListQuery>
