import { z } from "zod"
import { ListQuery } from "../../http/pagination.ts"
import { RatingValue } from "../schema.ts"

export const RatingChange = z
  .object({
    /** Null removes the rating. */
    value: RatingValue.nullable(),
    reason: z.string().trim().max(1000).default(""),
  })
  .meta({ id: "ChatMessageRatingChange" })
export type RatingChange = z.output<typeof RatingChange>

/** A rating as administrators see it: without the conversation. */
export const RatedAnswer = z
  .object({
    /** The id of the rated message. */
    id: z.string(),
    value: RatingValue,
    reason: z.string(),
    model: z.string(),
    user_id: z.string(),
    user_name: z.string(),
    rated_at: z.int(),
  })
  .meta({ id: "RatedAnswer" })
export type RatedAnswer = z.output<typeof RatedAnswer>

/** `query` searches the reasons. */
export const RatingListQuery = ListQuery.omit({ order_by: true, direction: true }).extend({
  model: z.string().max(300).optional(),
  value: RatingValue.optional(),
})
export type RatingListQuery = z.output<typeof RatingListQuery>

/** How often a model's answers were rated up and down. */
export const ModelRatings = z
  .object({ model: z.string(), up: z.int(), down: z.int() })
  .meta({ id: "ModelRatings" })
export type ModelRatings = z.output<typeof ModelRatings>
