import { randomUUID } from "node:crypto"
import { type Fixtures, prompt } from "./fixtures.ts"
import type { Recipes } from "./recipes.ts"

/** Objects that get another owner. */
export const ownershipRecipes = (makers: Fixtures): Recipes => {
  const { post, newUser, newModel, newCollection, newFile } = makers
  const body = async () => ({ transfer_to: (await newUser()).id })
  const newPrompt = () =>
    post("/api/v1/prompts/create", { command: randomUUID(), title: "P", content: prompt })
  return {
    "POST /api/v1/models/model/transfer": async () => ({
      path: `/api/v1/models/model/transfer?id=${(await newModel()).id}`,
      body: await body(),
    }),
    "POST /api/v1/knowledge/:id/transfer": async () => ({
      path: `/api/v1/knowledge/${(await newCollection()).id}/transfer`,
      body: await body(),
    }),
    "POST /api/v1/prompts/:id/transfer": async () => ({
      path: `/api/v1/prompts/${(await newPrompt()).id}/transfer`,
      body: await body(),
    }),
    "POST /api/v1/files/:id/transfer": async () => ({
      path: `/api/v1/files/${(await newFile()).id}/transfer`,
      body: await body(),
    }),
  }
}
