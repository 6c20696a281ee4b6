import { z } from "zod"
import { Place } from "../files/location.ts"
import { SourceReason } from "../knowledge/schema.ts"

/** Maximum number of files attached to a message, and of passages given to an answer. */
export const maxReferences = 100
/** Maximum number of skipped files stored per message; more are of no use to readers. */
export const maxSkipped = 1000

/** A file or collection attached to a prompt. */
export const Attached = z
  .object({ type: z.enum(["file", "collection"]), id: z.string(), name: z.string() })
  .meta({ id: "ChatAttached" })
export type Attached = z.output<typeof Attached>

/** The location of a passage that an answer was given; entry i is cited as [i + 1]. */
export const Source = z
  .object({
    file_id: z.string(),
    name: z.string(),
    ...Place.shape,
    /** UTF-16 offsets in the file's text. */
    start: z.int(),
    end: z.int(),
    score: z.number(),
    /** Absent in older answers, which were given passages only. */
    reason: SourceReason.optional(),
    /** Whether the answer cites it; absent while the answer is in progress. */
    cited: z.boolean().optional(),
  })
  .meta({ id: "ChatSource" })
export type Source = z.output<typeof Source>

export const Skipped = z
  .object({ id: z.string(), name: z.string(), status: z.string(), reason: z.string() })
  .meta({ id: "ChatSkippedSource" })
export type Skipped = z.output<typeof Skipped>

export const Passage = Source.extend({
  /** Verbatim from the file, as it was when the answer was given. */
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
