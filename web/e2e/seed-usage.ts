import type { TestGateway } from "../../server/test/harness/gateway.ts"
import { createUsageRow } from "../../server/test/harness/usage-records.ts"

const daySeconds = 86_400
/** Cost of a token in nano-dollars, by model; null if there is no price. */
const models: readonly (readonly [string, number | null])[] = [
  ["gpt-6", 2500],
  ["claude-opus-5", 15_000],
  ["gpt-6-mini", 400],
  ["gemini-3-flash", 300],
  ["mistral-large-3", 2000],
  ["llama3.2:latest", 0],
  ["text-embedding-3-large", 130],
  ["deepseek-v4", 280],
  ["qwen3:32b", null],
]
const groupShare = 0.7
const errorShare = 0.06

/** A repeatable sequence of numbers from 0 to 1 (a linear congruential generator). */
const createRandom = (start: number) => {
  let state = start
  return (): number => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}

interface UsageSeedOptions {
  days: number
  userIds: readonly string[]
  groupId: string
}

/** Records requests to several models by several users on each of the last days, today included. */
export const seedUsage = async (
  { gateway, call }: TestGateway,
  { days, userIds, groupId }: UsageSeedOptions,
): Promise<void> => {
  const random = createRandom(7)
  const choose = <T>(values: readonly T[]): T | undefined =>
    values[Math.floor(random() ** 2 * values.length)]
  const now = Math.floor(Date.now() / 1000)
  const addRequest = (day: number, [model, price]: (typeof models)[number]): void => {
    const tokens_in = Math.round(random() * 60_000)
    const tokens_out = Math.round(random() * 4000)
    const usage = {
      at: now - day * daySeconds - Math.round(random() * 3600),
      user_id: choose(userIds) ?? "",
      group_id: random() < groupShare ? groupId : null,
      connection_id: "env-openai-0",
      model,
      upstream_model: model,
      tokens_in,
      tokens_out,
      cost: price === null ? null : price * (tokens_in + 4 * tokens_out),
      duration_ms: Math.round(400 + random() * 4000),
      outcome: random() < errorShare ? "upstream_error" : "ok",
    }
    gateway.recordQueue.enqueue(createUsageRow(usage))
  }
  for (let day = 0; day < days; day++) {
    for (const [index, model] of models.entries()) {
      const count = Math.round(3 * random() * (1 + 4 / (index + 1)))
      for (let request = 0; request < count; request++) addRequest(day, model)
    }
  }
  for (const model of ["gpt-fake", "harbour-pilot", "gpt-fake"]) {
    const messages = [{ role: "user", content: "What does the tide do at Brest?" }]
    await call("POST", "/v1/chat/completions", { model, messages })
  }
  await gateway.recordQueue.flush()
}
