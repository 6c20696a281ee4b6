import { randomUUID } from "node:crypto"
import { type Fixtures, prompt } from "./fixtures.ts"
import type { Recipes } from "./recipes.ts"

/** Requests to the prompt library, and to change one's own instructions, that succeed. */
export const promptRecipes = ({ post }: Fixtures): Recipes => {
  const path = "/api/v1/prompts"
  const promptBody = () => ({ command: randomUUID(), title: "P", content: prompt })
  const newPrompt = () => post(`${path}/create`, promptBody())
  return {
    "POST /api/v1/auths/update/instructions": () => ({
      path: "/api/v1/auths/update/instructions",
      body: { instructions: prompt },
    }),
    [`POST ${path}/create`]: () => ({ path: `${path}/create`, body: promptBody() }),
    [`POST ${path}/:id/update`]: async () => ({
      path: `${path}/${(await newPrompt()).id}/update`,
      body: { content: `${prompt} and more` },
    }),
    [`DELETE ${path}/:id/delete`]: async () => ({
      path: `${path}/${(await newPrompt()).id}/delete`,
    }),
  }
}
