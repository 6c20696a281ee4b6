import type { Router } from "../http/router.ts"
import { instructionRoutes } from "./instruction-routes.ts"
import type { PersonalInstructions } from "./personal-instructions.ts"

/** The routes for one's own instructions, under `/api/v1/auths`. */
export const createInstructionRouter = (router: Router, personal: PersonalInstructions): Router => {
  router.on(instructionRoutes.get, ({ caller }) => personal.get(caller))
  router.on(instructionRoutes.update, ({ actor, caller, body }) =>
    personal.update(actor, caller, body),
  )
  return router
}
