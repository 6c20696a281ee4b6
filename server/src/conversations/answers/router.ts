import type { Router } from "../../http/router.ts"
import type { AnswerEdits } from "./answer-edits.ts"
import { answerRoutes } from "./routes.ts"

/** The routes for changing an answer in one's own chat. */
export const createAnswerRouter = (router: Router, answerEdits: AnswerEdits): Router => {
  router.on(answerRoutes.rate, ({ caller, params, body }) => answerEdits.rate(caller, params, body))
  router.on(answerRoutes.edit, ({ caller, params, body }) =>
    answerEdits.edit(caller, params, body.content),
  )
  return router
}
