import { randomUUIDv7 } from "node:crypto"
import type { Insertable, Selectable } from "kysely"
import type { Database } from "../../src/db/database.ts"
import type { UsageRow } from "../../src/db/tables.ts"
import { noTokens } from "../../src/usage/token-counts.ts"
import type { TestGateway } from "./gateway.ts"

const defaultTimeoutMs = 10_000

/** A usage row as one chat completion creates it, with the given fields replaced. */
export const createUsageRow = (overrides: Partial<Insertable<UsageRow>>): Insertable<UsageRow> => ({
  id: randomUUIDv7(),
  at: 1_728_000_000,
  user_id: "ada",
  key_id: null,
  group_id: null,
  operation: "chat/completions",
  model: "m",
  connection_id: "c",
  upstream_model: "m",
  service_tier: null,
  attempts: 1,
  streamed: 0,
  ...noTokens,
  tokens_in: 10,
  tokens_out: 5,
  cost: null,
  overrun: null,
  estimated: 0,
  time_to_first_token_ms: null,
  duration_ms: 100,
  outcome: "ok",
  status: 200,
  request_id: "r",
  ...overrides,
})

/** Writes records as the gateway does. */
export const writeUsage = (
  { append }: Pick<Database, "append">,
  records: readonly Insertable<UsageRow>[],
): Promise<void> =>
  append(
    "usage",
    records.map((record) => JSON.stringify(record)),
  )

/** Deletes all records and sums. */
export const clearUsage = ({ transact }: Pick<Database, "transact">): Promise<void> =>
  transact(async (tx) => {
    for (const table of ["usage", "usage_sums", "usage_outdated"] as const)
      await tx.deleteFrom(table).execute()
  })

/** Flushes and reads all usage records of a gateway, oldest first. */
export const readUsageRecords = async ({
  gateway,
}: TestGateway): Promise<Selectable<UsageRow>[]> => {
  await gateway.recordQueue.flush()
  return gateway.db.read.selectFrom("usage").selectAll().orderBy("id").execute()
}

/**
 * Polls until `probe` returns a truthy value, and resolves with it.
 * @throws if that takes longer than `timeoutMs`
 */
export const waitFor = async <T>(
  probe: () => T | undefined | false | null | Promise<T | undefined | false | null>,
  timeoutMs = defaultTimeoutMs,
): Promise<T> => {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const found = await probe()
    if (found) return found
    if (performance.now() > deadline) throw new Error(`Timed out after ${timeoutMs} ms: ${probe}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** Waits for the usage records of one request; resolves when there is at least one. */
export const waitForUsageRecords = (gateway: TestGateway, requestId: string) =>
  waitFor(async () => {
    const records = await readUsageRecords(gateway)
    const found = records.filter(({ request_id }) => request_id === requestId)
    return found.length > 0 ? found : null
  })
