import type { TestGateway } from "../harness/gateway.ts"
import type { Recipes } from "./recipes.ts"

/** Requests that change the webhook and succeed. @param secrets receives what must stay secret */
export const webhookRecipes = (gateway: TestGateway, secrets: string[]): Recipes => {
  const path = "/api/v1/webhook"
  // Nothing listens there.
  const body = { url: "http://127.0.0.1:9/hook" }
  const create = async (): Promise<void> => {
    const { secret } = (await gateway.call("PUT", path, body)).body
    if (secret) secrets.push(secret)
  }
  const withWebhook = (suffix: string) => async () => {
    await create()
    return { path: path + suffix }
  }
  return {
    [`PUT ${path}`]: () => ({ path, body }),
    [`POST ${path}/secret`]: withWebhook("/secret"),
    [`POST ${path}/test`]: withWebhook("/test"),
    [`DELETE ${path}`]: withWebhook(""),
  }
}
