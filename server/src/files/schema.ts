import { z } from "zod"
import { ListQuery } from "../http/pagination.ts"

export const FileStatus = z.enum(["stored", "pending", "processing", "completed", "failed"])
export type FileStatus = z.output<typeof FileStatus>

/** How far a file is. */
const FileProgress = z
  .object({
    /** Null until they were counted, and where the format has none. */
    pages: z.int().nullable(),
    /** Null until it can be searched by its words. */
    passages: z.int().nullable(),
    /** Passages that can be found by their meaning too. */
    embedded: z.int(),
  })
  .meta({ id: "FileProgress" })

export const FileRecord = z
  .object({
    id: z.string(),
    user_id: z.string(),
    filename: z.string(),
    /** SHA-256 of the bytes in hex. */
    hash: z.string(),
    meta: z.object({
      name: z.string(),
      content_type: z.string(),
      size: z.int(),
      /** What the bytes turned out to be, such as `pdf`. */
      format: z.string().nullable(),
      /** The upload's part `metadata`. */
      data: z.record(z.string(), z.unknown()),
    }),
    data: z.object({
      status: FileStatus,
      /** A sentence for people, where the status is `failed`. */
      error: z.string().nullable(),
      progress: FileProgress,
    }),
    created_at: z.int(),
    updated_at: z.int(),
  })
  .meta({ id: "File" })
export type FileRecord = z.output<typeof FileRecord>

const Flag = z
  .enum(["true", "false", "1", "0"])
  .transform((text) => text === "true" || text === "1")

/** The parts of an upload, as they are documented; the body is never held as a whole. */
export const Upload = z.object({
  file: z.file(),
  metadata: z.string().optional().describe("A JSON object stored with the file"),
})

export const UploadQuery = z.object({
  /** False only stores the file. */
  process: Flag.default(true),
  /** False answers when processing has ended. */
  process_in_background: Flag.default(true),
})

/** How far an upload by tus is. */
export const UploadProgress = z
  .object({
    /** Bytes that arrived. */
    offset: z.int(),
    size: z.int(),
    /** Null once it is whole: then there is a file of the same id. */
    expires_at: z.int().nullable(),
  })
  .meta({ id: "UploadProgress" })
export type UploadProgress = z.output<typeof UploadProgress>

export const StatusQuery = z.object({ stream: Flag.default(false) })

export const ProcessStatus = z
  .object({ status: FileStatus, error: z.string().nullable(), progress: FileProgress })
  .meta({ id: "FileProcessStatus" })
export type ProcessStatus = z.output<typeof ProcessStatus>

export const FileText = z
  .object({
    content: z.string(),
    /** Where `content` begins in the whole text, and how long that is, in UTF-16 units. */
    start: z.int(),
    length: z.int(),
  })
  .meta({ id: "FileText" })
export type FileText = z.output<typeof FileText>

const Offset = z.coerce.number<string>().int().min(0)

/** A piece of a text; all of it when left out. */
export const TextQuery = z.object({ start: Offset.default(0), end: Offset.optional() })
export type TextQuery = z.output<typeof TextQuery>

/** One status or more, with commas between them. */
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
