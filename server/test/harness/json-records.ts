import { randomUUIDv7 } from "node:crypto"
import type { Insertable, Selectable } from "kysely"
import type { UsageRow } from "../../src/db/tables.ts"
import type { TestGateway } from "./gateway.ts"

const patienceMs = 10_000

/** What one chat leaves, with fields of its `own`. */
export const usageRow = (own: Partial<Insertable<UsageRow>>): Insertable<UsageRow> => ({
  id: randomUUIDv7(),
  at: 1_728_000_000,
  user_id: "ada",
  key_id: null,
  operation: "chat/completions",
  model: "m",
  connection_id: "c",
  streamed: 0,
  tokens_in: 10,
  tokens_out: 5,
  estimated: 0,
  time_to_first_token_ms: null,
  duration_ms: 100,
  outcome: "ok",
  status: 200,
  request_id: "r",
  ...own,
})

/** All usage records of a gateway, oldest first, those not yet written included. */
export const usageRecords = async ({ gateway }: TestGateway): Promise<Selectable<UsageRow>[]> => {
  await gateway.recorder.flush()
  return gateway.db.read.selectFrom("usage").selectAll().orderBy("id").execute()
}

/** Resolves with what `look` finds as soon as it finds something. */
export const until = async <T>(
  look: () => T | undefined | false | null | Promise<T | undefined | false | null>,
  ms = patienceMs,
): Promise<T> => {
  const last = performance.now() + ms
  for (;;) {
    const found = await look()
    if (found) return found
    if (performance.now() > last) throw new Error(`nothing was found within ${ms} ms: ${look}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** The records of one request, once there is one. */
export const recordsOf = (gateway: TestGateway, requestId: string) =>
  until(async () => {
    const records = await usageRecords(gateway)
    const found = records.filter(({ request_id }) => request_id === requestId)
    return found.length > 0 ? found : null
  })
