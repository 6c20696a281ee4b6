import { z } from "zod"
import { Place } from "../files/location.ts"
import { SourceReason } from "../knowledge/schema.ts"

/** Of one message: files asked about, and likewise passages given. */
export const maxReferences = 100
/** Of one message; what is more is not worth reading, and is left out. */
export const maxSkipped = 1000

/** A file or a collection that a prompt is about. */
export const Attached = z
  .object({ type: z.enum(["file", "collection"]), id: z.string(), name: z.string() })
  .meta({ id: "ChatAttached" })
export type Attached = z.output<typeof Attached>

/** Where a passage stands that an answer was given; entry i is cited as [i + 1]. */
export const Source = z
  .object({
    file_id: z.string(),
    name: z.string(),
    ...Place.shape,
    /** UTF-16 offsets in the file's text. */
    start: z.int(),
    end: z.int(),
    score: z.number(),
    /** Absent in answers of before, which were given passages only. */
    reason: SourceReason.optional(),
    /** Whether the answer refers to it; absent while the answer is being written. */
    cited: z.boolean().optional(),
  })
  .meta({ id: "ChatSource" })
export type Source = z.output<typeof Source>

export const Skipped = z
  .object({ id: z.string(), name: z.string(), status: z.string(), reason: z.string() })
  .meta({ id: "ChatSkippedSource" })
export type Skipped = z.output<typeof Skipped>

export const Passage = Source.extend({
  /** Word for word the file's, as it was when the answer was given. */
  text: z.string(),
}).meta({ id: "ChatPassage" })
export type Passage = z.output<typeof Passage>

export const Passages = z
  .object({
    /** In the order of the message's `sources`; null for a file that the reader may not read. */
    items: z.array(Passage.nullable()),
  })
  .meta({ id: "ChatPassages" })
export type Passages = z.output<typeof Passages>
