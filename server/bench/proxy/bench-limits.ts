import { adminKey } from "../measure/gateway.ts"

const perMinute = 100_000_000
const many = 1_000_000_000_000_000
const price = { input: 1250, cached_input: 125, output: 10_000, from: 0 }

/** Limits of all kinds that no request reaches. */
const limitsOf = (model: string) => [
  { target: { type: "everyone" }, metric: "requests", amount: perMinute, window: "minute" },
  { target: { type: "everyone" }, metric: "tokens", amount: many, window: "day" },
  { target: { type: "everyone" }, metric: "cost", amount: many, window: "month" },
  { target: { type: "everyone" }, metric: "concurrency", amount: 100_000 },
  { target: { type: "model", id: model }, metric: "requests", amount: many, window: "week" },
  {
    ...{ target: { type: "model", id: model }, metric: "cost", amount: many },
    ...{ window: "day", rolling: true },
  },
  {
    ...{ target: { type: "connection", id: "env-openai-0" }, metric: "cost" },
    ...{ amount: many, window: "month" },
  },
]

/** Gives a gateway seven limits, and the model a price. */
export const createBenchLimits = async (url: string, model: string): Promise<void> => {
  const send = async (method: string, path: string, body: object): Promise<void> => {
    const response = await fetch(`${url}/api/v1/${path}`, {
      ...{ method, body: JSON.stringify(body) },
      headers: { authorization: `Bearer ${adminKey}` },
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  }
  await send("PUT", `prices/${model}`, price)
  for (const limit of limitsOf(model)) await send("POST", "limits", limit)
}
