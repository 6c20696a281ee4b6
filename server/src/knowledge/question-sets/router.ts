import type { Router } from "../../http/router.ts"
import type { QuestionSets } from "./question-sets.ts"
import { questionRoutes } from "./routes.ts"

/** The routes under `/api/v1/knowledge/{id}/questions`. */
export const createQuestionRouter = (router: Router, questionSets: QuestionSets): Router => {
  router.on(questionRoutes.list, ({ caller, params, query }) =>
    questionSets.list(caller, params.id, query),
  )

  router.on(questionRoutes.create, ({ caller, actor, params, body }) =>
    questionSets.create({ actor, caller, id: params.id }, body),
  )

  router.on(questionRoutes.update, ({ caller, actor, params, body }) =>
    questionSets.update({ actor, caller, id: params.id }, params.question_id, body),
  )

  router.on(questionRoutes.remove, ({ caller, actor, params }) =>
    questionSets.remove({ actor, caller, id: params.id }, params.question_id),
  )

  router.on(questionRoutes.status, ({ caller, params }) => questionSets.status(caller, params.id))

  router.on(questionRoutes.run, ({ caller, actor, params }) =>
    questionSets.run({ actor, caller, id: params.id }),
  )

  router.on(questionRoutes.export, ({ caller, params }) =>
    questionSets.exportAll(caller, params.id),
  )

  router.on(questionRoutes.import, ({ caller, actor, params, body }) =>
    questionSets.importAll({ actor, caller, id: params.id }, body),
  )
  return router
}
