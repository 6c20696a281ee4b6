import { json } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import type { PersonalInstructions } from "./personal-instructions.ts"
import { PersonalInstructions as Instructions } from "./schema.ts"

/** The routes for one's own instructions, under `/api/v1/auths`. */
export const instructionRoutes = (router: Router, personal: PersonalInstructions): Router => {
  router.on("get", "/instructions", {
    access: "user",
    summary: "Get your instructions for every chat",
    responses: { 200: json(Instructions, "Your instructions; empty if you have none") },
    handle: ({ caller }) => personal.get(caller),
  })
  router.on("post", "/update/instructions", {
    access: "user",
    // They change what models do in the user's chats, long after the key has expired.
    grantsPrivileges: true,
    summary: "Change your instructions for every chat",
    body: Instructions,
    responses: { 200: json(Instructions, "Your instructions") },
    handle: ({ actor, caller, body }) => personal.update(actor, caller, body),
  })
  return router
}
