import { json, route } from "../http/route.ts"
import { PersonalInstructions as Instructions } from "./schema.ts"

/** The routes for one's own instructions, under `/api/v1/auths`. */
export const instructionRoutes = {
  get: route("get", "/api/v1/auths/instructions", {
    access: "user",
    summary: "Get your instructions for every chat",
    responses: { 200: json(Instructions, "Your instructions; empty if you have none") },
  }),
  update: route("post", "/api/v1/auths/update/instructions", {
    access: "user",
    grantsPrivileges: true,
    summary: "Change your instructions for every chat",
    body: Instructions,
    responses: { 200: json(Instructions, "Your instructions") },
  }),
}
