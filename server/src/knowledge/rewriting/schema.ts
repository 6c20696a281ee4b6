import { z } from "zod"
import { MessageReference } from "../../http/message-reference.ts"

/** A query that a model wrote for a question. */
export const RewrittenQuery = z.object({
  /** Complete without the conversation, in words that documents use, or in another language. */
  kind: z.enum(["standalone", "paraphrase", "translation"]),
  text: z.string(),
  /** ISO 639-1; only of a translation. */
  language: z.string().nullable(),
})
export type RewrittenQuery = z.output<typeof RewrittenQuery>

export const RewritingReport = z
  .object({
    /**
     * `not_needed`: the question is complete and in the language of the files or an unknown one,
     * or it is too long;
     * `no_model`: there is no model that may be asked.
     */
    outcome: z.enum(["used", "off", "not_needed", "no_model", "timed_out", "failed"]),
    /** The model that was asked; null if none was. */
    model: z.string().nullable(),
    /** What was searched in addition to the question; empty if the model did not change it. */
    queries: z.array(RewrittenQuery),
    /** Whether an earlier answer to the same request was used. */
    cached: z.boolean(),
    /** How long the rewriting took. */
    duration_ms: z.int(),
    /** Why it failed, in English. */
    error: z.string().nullable(),
    error_reference: MessageReference.nullable(),
  })
  .meta({ id: "QueryRewritingReport" })
export type RewritingReport = z.output<typeof RewritingReport>
