import type { Router } from "../http/router.ts"
import type { AnswerChanges } from "./answer-changes.ts"
import { answerRoutes } from "./answer-routes.ts"

interface Deps {
  router: Router
  answerChanges: AnswerChanges
}

/** The routes for changing an answer in one's own chat. */
export const createAnswerRouter = ({ router, answerChanges }: Deps): Router => {
  router.on(answerRoutes.rate, ({ caller, params, body }) =>
    answerChanges.rate(caller, params, body),
  )
  router.on(answerRoutes.edit, ({ caller, params, body }) =>
    answerChanges.edit(caller, params, body.content),
  )
  return router
}
