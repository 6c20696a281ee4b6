import { randomUUID } from "node:crypto"
import type { TestGateway } from "../harness/gateway.ts"
import type { Recipes } from "./recipes.ts"

/** Requests that change prices and succeed. */
export const priceRecipes = (gateway: TestGateway): Recipes => {
  const path = "/api/v1/prices"
  const modelPath = `${path}/:model{(?!(?:export|import|models)$).+}`
  const body = { input: 1, output: 2 }
  return {
    [`PUT ${modelPath}`]: () => ({ path: `${path}/vendor/${randomUUID()}`, body }),
    [`DELETE ${modelPath}`]: async () => {
      const model = randomUUID()
      await gateway.call("PUT", `${path}/${model}`, body)
      return { path: `${path}/${model}` }
    },
    [`POST ${path}/import`]: () => ({
      path: `${path}/import`,
      body: { format: "json", prices: [{ model: randomUUID(), ...body }] },
    }),
  }
}
