import type { Router } from "../http/router.ts"
import type { PromptOwnershipTransfer } from "./ownership-transfer.ts"
import type { Prompts } from "./prompts.ts"
import { promptRoutes } from "./routes.ts"

interface Deps {
  router: Router
  prompts: Prompts
  promptTransfer: PromptOwnershipTransfer
}

/** The routes under `/api/v1/prompts`. */
export const createPromptRouter = ({ router, prompts, promptTransfer }: Deps): Router => {
  router.on(promptRoutes.list, ({ caller, query }) => prompts.list(caller, query))
  router.on(promptRoutes.create, ({ caller, actor, body }) => prompts.create(actor, caller, body))
  router.on(promptRoutes.get, ({ caller, params }) => prompts.get(caller, params.id))
  router.on(promptRoutes.update, ({ caller, actor, params, body }) =>
    prompts.update(actor, caller, { id: params.id, changes: body }),
  )
  router.on(promptRoutes.remove, ({ caller, actor, params }) =>
    prompts.remove(actor, caller, params.id),
  )
  router.on(promptRoutes.transfer, ({ caller, actor, params, body }) =>
    promptTransfer.transfer(actor, caller, { ...params, ...body }),
  )
  return router
}
