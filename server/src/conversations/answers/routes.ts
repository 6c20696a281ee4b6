import { z } from "zod"
import { IdParams } from "../../http/pagination.ts"
import { json, route } from "../../http/route.ts"
import { RatingChange } from "../ratings/schema.ts"
import { Message } from "../schema.ts"

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

/** The routes for changing an answer in one's own chat. */
export const answerRoutes = {
  rate: route("post", "/api/v1/chats/:id/messages/:message_id/rating", {
    access: "user",
    grantsPrivileges: false,
    summary: "Rate an answer in one of your chats, with a reason, or remove the rating",
    params: AnswerParams,
    body: RatingChange,
    responses: { 200: json(Message, "The rated answer"), 404: notFound, 409: conflict },
  }),
  edit: route("post", "/api/v1/chats/:id/messages/:message_id/edit", {
    access: "user",
    grantsPrivileges: false,
    summary: "Add your own version of an answer; the original remains as an alternative",
    params: AnswerParams,
    body: EditedAnswer,
    responses: { 200: json(Message, "The new version"), 404: notFound, 409: conflict },
  }),
}
