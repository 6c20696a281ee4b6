import { z } from "zod"
import { IdParams, Page, toSinglePage } from "../http/pagination.ts"
import { json } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import type { AnswerChanges } from "./answer-changes.ts"
import { ModelRatings, RatedAnswer, RatingChange, RatingListQuery } from "./rating-schema.ts"
import type { RatingStore } from "./rating-store.ts"
import { Message } from "./schema.ts"

const notFound = { description: "Answer not found, or you do not have access to it" }
const conflict = { description: "The answer is still being written" }
const AnswerParams = IdParams.extend({ message_id: z.string().min(1).max(200) })

const EditedAnswer = z
  .object({
    content: z
      .string()
      .max(2_000_000)
      .refine((text) => text.trim() !== "", "Enter an answer"),
  })
  .meta({ id: "EditedAnswer" })

interface Deps {
  router: Router
  answerChanges: AnswerChanges
}

/** The routes for changing an answer in one's own chat. */
export const answerRoutes = ({ router, answerChanges }: Deps): Router => {
  router.on("post", "/:id/messages/:message_id/rating", {
    access: "user",
    grantsPrivileges: false,
    summary: "Rate an answer in one of your chats, with a reason, or remove the rating",
    params: AnswerParams,
    body: RatingChange,
    responses: { 200: json(Message, "The rated answer"), 404: notFound, 409: conflict },
    handle: ({ caller, params, body }) => answerChanges.rate(caller, params, body),
  })
  router.on("post", "/:id/messages/:message_id/edit", {
    access: "user",
    grantsPrivileges: false,
    summary: "Add your own version of an answer; the original remains as an alternative",
    params: AnswerParams,
    body: EditedAnswer,
    responses: { 200: json(Message, "The new version"), 404: notFound, 409: conflict },
    handle: ({ caller, params, body }) => answerChanges.edit(caller, params, body.content),
  })
  return router
}

/** The ratings of all users, for administrators. */
export const ratingRoutes = (router: Router, ratings: RatingStore): Router => {
  router.on("get", "/", {
    access: "admin",
    summary: "List the ratings of answers; `query` searches their reasons",
    query: RatingListQuery,
    responses: { 200: json(Page(RatedAnswer), "One page of ratings, latest first") },
    handle: ({ query }) => ratings.list(query),
  })
  router.on("get", "/summary", {
    access: "admin",
    summary: "Count the ratings of each model",
    responses: { 200: json(Page(ModelRatings), "The models rated most often, at most 200") },
    handle: async () => toSinglePage(await ratings.sumByModel()),
  })
  return router
}
