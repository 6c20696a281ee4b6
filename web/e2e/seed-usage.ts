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
const outcomes = ["ok", "ok", "ok", "ok", "ok", "ok", "ok", "client_cancelled", "upstream_error"]

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
  { gateway }: TestGateway,
  { days, userIds, groupId }: UsageSeedOptions,
): Promise<void> => {
  const random = createRandom(7)
  const now = Math.floor(Date.now() / 1000)
  for (let day = 0; day < days; day++) {
    const isWeekend = (Math.floor(now / daySeconds) - day) % 7 < 2
    for (const [index, [model, price]] of models.entries()) {
      const count = Math.round((isWeekend ? 1 : 3) * random() * (1 + 4 / (index + 1)))
      for (let request = 0; request < count; request++) {
        const tokens_in = Math.round(random() * 60_000)
        const tokens_out = Math.round(random() * 4000)
        gateway.recordQueue.enqueue(
          createUsageRow({
            at: now - day * daySeconds - Math.round(random() * 3600),
            user_id: userIds[Math.floor(random() ** 2 * userIds.length)] ?? "",
            group_id: random() < 0.7 ? groupId : null,
            connection_id: "env-openai-0",
            model,
            upstream_model: model,
            tokens_in,
            tokens_out,
            cost: price === null ? null : price * (tokens_in + 4 * tokens_out),
            duration_ms: Math.round(400 + random() * 4000),
            outcome: outcomes[Math.floor(random() * outcomes.length)] ?? "ok",
          }),
        )
      }
    }
  }
  await gateway.recordQueue.flush()
}
