import type { TestGateway } from "../harness/gateway.ts"
import type { Recipes } from "./recipes.ts"

/** Requests that change limits and succeed. */
export const limitRecipes = (gateway: TestGateway): Recipes => {
  const path = "/api/v1/limits"
  const body = { target: { type: "everyone" }, metric: "requests", amount: 1e9, window: "month" }
  const create = async (): Promise<string> => (await gateway.call("POST", path, body)).body.id
  return {
    [`POST ${path}`]: () => ({ path, body }),
    [`POST ${path}/:id/update`]: async () => ({
      path: `${path}/${await create()}/update`,
      body: { amount: 2e9 },
    }),
    [`DELETE ${path}/:id`]: async () => ({ path: `${path}/${await create()}` }),
  }
}
