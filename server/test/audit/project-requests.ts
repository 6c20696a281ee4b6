import { randomUUID } from "node:crypto"
import { type Fixtures, prompt } from "./fixtures.ts"
import type { Recipes } from "./recipes.ts"

export const projectRecipes = ({ post }: Fixtures): Recipes => {
  const newProject = () => post("/api/v1/folders", { name: randomUUID() })
  return {
    "POST /api/v1/folders": () => ({ path: "/api/v1/folders", body: { name: randomUUID() } }),
    "POST /api/v1/folders/:id/update": async () => ({
      path: `/api/v1/folders/${(await newProject()).id}/update`,
      body: { instructions: prompt },
    }),
    "DELETE /api/v1/folders/:id": async () => ({
      path: `/api/v1/folders/${(await newProject()).id}`,
    }),
  }
}
