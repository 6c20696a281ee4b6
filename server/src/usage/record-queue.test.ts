import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { createTestBackground } from "../../test/harness/background.ts"
import { createUsageRow } from "../../test/harness/usage-records.ts"
import { currentUser, runAs } from "../concurrency/current-user.ts"
import { openDatabase } from "../db/open.ts"
import { createRecordQueue, type UsageRecord } from "./record-queue.ts"

const record = (tokens: number): UsageRecord =>
  createUsageRow({
    key_id: tokens % 2 === 0 ? null : "key",
    model: `model-${tokens}`,
    connection_id: null,
    tokens_in: tokens,
    tokens_out: tokens * 2,
    duration_ms: tokens * 3,
    request_id: `request-${tokens}`,
  })

const open = () =>
  openDatabase({ DATA_DIR: mkdtempSync(join(tmpdir(), "portico-")), DATABASE_URL: undefined })

it("writes every record as it was given, in full batches and in what is left over", async () => {
  const db = await open()
  const recorder = createRecordQueue({ db, background: createTestBackground() })
  const records = Array.from({ length: 1137 }, (_, tokens) => record(tokens))
  for (const each of records) recorder.enqueue(each)
  await recorder.flush()
  const stored = await db.read.selectFrom("usage").selectAll().orderBy("tokens_in").execute()
  expect(stored).toEqual(records)
  await recorder.close()
  await db.close()
})

it("drops what a full queue cannot hold, and counts it", async () => {
  const db = await open()
  const recorder = createRecordQueue({ db, background: createTestBackground() })
  for (let at = 0; at < 20_010; at++) recorder.enqueue(record(at))
  expect(recorder.dropped()).toBe(10)
  await recorder.close()
  await db.close()
})

it("writes on nobody's behalf, whoever's record fills a batch", async () => {
  const db = await open()
  const writers: (string | undefined)[] = []
  const append: typeof db.append = (table, rows) => {
    writers.push(currentUser())
    return db.append(table, rows)
  }
  const recorder = createRecordQueue({ db: { ...db, append }, background: createTestBackground() })
  runAs("eve", () => {
    for (let tokens = 0; tokens < 500; tokens++) recorder.enqueue(record(tokens))
  })
  await recorder.flush()
  expect(writers).toEqual([undefined])
  await recorder.close()
  await db.close()
})
