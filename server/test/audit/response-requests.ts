import { randomUUID } from "node:crypto"
import type { TestGateway } from "../harness/gateway.ts"
import { exchangeOf, storedResponsesOf } from "../stored-responses/responses.ts"
import { prompt } from "./fixtures.ts"
import type { Recipes } from "./recipes.ts"

/** Requests that delete a stored response, under each prefix. */
export const responseRecipes = (gateway: TestGateway): Recipes => {
  const newResponse = async (): Promise<string> => {
    const id = `resp_${randomUUID()}`
    const { id: admin } = (await gateway.call("GET", "/api/v1/auths/")).body
    await storedResponsesOf(gateway).save(admin, exchangeOf(id, { text: prompt }))
    return id
  }
  const prefixes = ["/v1", "/api", "/api/v1"]
  return Object.fromEntries(
    prefixes.map((prefix) => [
      `DELETE ${prefix}/responses/:id`,
      async () => ({ path: `${prefix}/responses/${await newResponse()}` }),
    ]),
  )
}
