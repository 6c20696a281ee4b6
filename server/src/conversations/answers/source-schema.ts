import { z } from "zod"
import { PassageLocation } from "../../files/passage-location.ts"
import { DateOrigin, PassageVersion, SourceExtent } from "../../knowledge/schema.ts"

/** Maximum number of files attached to a message. */
export const maxFilesPerMessage = 100
/** Maximum number of passages given to an answer; the context budget allows for fewer. */
export const maxPassagesPerAnswer = 1000
/** Maximum number of skipped files stored per message; more are of no use to readers. */
export const maxSkippedSources = 1000

/** A file or collection attached to a prompt. */
export const ChatAttachment = z
  .object({ type: z.enum(["file", "collection"]), id: z.string(), name: z.string() })
  .meta({ id: "ChatAttached" })
export type ChatAttachment = z.output<typeof ChatAttachment>

const maxDate = 8_640_000_000_000

/** Unix seconds, within the range of JavaScript's dates. */
export const SourceDate = z.int().min(-maxDate).max(maxDate)

/** The location of a passage that an answer was given; entry i is cited as [i + 1]. */
export const ChatSource = z
  .object({
    file_id: z.string(),
    name: z.string(),
    /** When the document was last changed, or else uploaded; absent in older answers. */
    date: SourceDate.nullable().optional(),
    date_of: DateOrigin.nullable().optional(),
    /** The name that the file's owner had; null if the account had been deleted. */
    owner: z.string().nullable().optional(),
    /** Null unless several versions of the document were searched. */
    version: PassageVersion.omit({ newest: true }).nullable().optional(),
    ...PassageLocation.shape,
    /** UTF-16 offsets in the file's text. */
    start: z.int(),
    end: z.int(),
    score: z.number(),
    /** Absent in older answers, which were given passages only. */
    reason: SourceExtent.optional(),
    /** Whether the answer cites it; absent while the answer is in progress. */
    cited: z.boolean().optional(),
  })
  .meta({ id: "ChatSource" })
export type ChatSource = z.output<typeof ChatSource>

export const ChatSkippedSource = z
  .object({ id: z.string(), name: z.string(), status: z.string(), reason: z.string() })
  .meta({ id: "ChatSkippedSource" })
export type ChatSkippedSource = z.output<typeof ChatSkippedSource>

export const ChatPassage = ChatSource.extend({
  /** Verbatim from the file, as it was when the answer was given. */
  text: z.string(),
}).meta({ id: "ChatPassage" })
export type ChatPassage = z.output<typeof ChatPassage>

export const ChatPassages = z
  .object({
    /** In the order of the message's `sources`; null for a file that the reader may not read. */
    items: z.array(ChatPassage.nullable()),
  })
  .meta({ id: "ChatPassages" })
export type ChatPassages = z.output<typeof ChatPassages>
