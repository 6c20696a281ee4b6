import { CompiledQuery, createQueryId, type RootOperationNode, sql } from "kysely"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import type { Database } from "../../src/db/database.ts"
import { createJobStore } from "../../src/jobs/store.ts"
import { readBreakdown } from "../../src/storage/store.ts"
import { createResponseStore } from "../../src/stored-responses/store.ts"
import { UsageQuery } from "../../src/usage/schema.ts"
import { createUsageStore } from "../../src/usage/store.ts"
import { summedColumns } from "../../src/usage/sum-columns.ts"
import { chooseDatabases, type OpenedDatabase } from "../harness/databases.ts"

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const rows = 50_000
const owners = 50

describe.each(chooseDatabases())("frequent queries on $name", ({ open }) => {
  let opened: OpenedDatabase

  beforeAll(async () => {
    opened = await open()
    const { db } = opened
    const numbers = sql`with recursive n(i) as (
      select 1 union all select i + 1 from n where i < ${rows})`
    await db.transact(async (tx) => {
      await sql`insert into users (id, email, email_key, name, name_key, role, active, source, created_ms, updated_ms)
        ${numbers} select 'u' || i, 'u' || i, 'u' || i, 'u', 'u', 'user', 1, 'local', 0, 0 from n where i <= ${owners}`.execute(
        tx,
      )
      const owner = sql`'u' || (1 + i % ${sql.lit(owners)})`
      await sql`insert into jobs (id, kind, target, turn, attempts, run_at, lease_until, created_at, owner)
        ${numbers} select 'j' || i, 'embed', 't' || i, 't' || i, 0, 0, 0, 0, ${owner} from n`.execute(
        tx,
      )
      await sql`insert into job_owners (kind, owner, virtual_time)
        ${numbers} select 'embed', 'u' || i, 0 from n where i <= ${owners}`.execute(tx)
      await sql`insert into files (id, user_id, hash, filename, filename_key, content_type, size, metadata, status, text_length, created_at, updated_at)
        ${numbers} select 'f' || i, ${owner}, 'h' || i, 'a', 'a', 'b', 1, '{}', 'stored', 2, 0, 0 from n`.execute(
        tx,
      )
      await sql`insert into chats (id, user_id, title, title_key, title_source, pinned, archived, shared, models, system, params, created_at, updated_at, text_bytes)
        ${numbers} select 'c' || i, ${owner}, 't', 't', 'words', 0, 0, 0, '[]', '', '{}', 0, 0, 3 from n`.execute(
        tx,
      )
      await sql`insert into stored_responses (id, user_id, previous_id, response, item_bytes, bytes, created_at)
        ${numbers} select 'r' || i, ${owner}, 'r' || (i - ${sql.lit(owners)}), '{}', 1, 4, i from n`.execute(
        tx,
      )
      await sql`insert into stored_response_items (user_id, response_id, position, item_id, is_output, item, bytes, created_at)
        ${numbers} select ${owner}, 'r' || i, 0, 'i' || i, 0, '{}', 1, i from n`.execute(tx)
      await sql`insert into models (id, user_id, name, base_model_id, meta, is_active, created_at, updated_at)
        ${numbers} select 'm' || i, ${owner}, 'm', 'b', '{}', 1, 0, 0 from n`.execute(tx)
      await sql`insert into model_contents (model_id, meta, params)
        ${numbers} select 'm' || i, '{}', '{}' from n`.execute(tx)
    })
    const sums = sql.join(summedColumns.map(() => sql`1`))
    await db.transact((tx) =>
      sql`insert into usage_sums (part, start, user_id, group_id, key_id, model, connection_id, outcome, ${sql.join(summedColumns.map((name) => sql.ref(name)))})
        ${numbers} select 'hour', i / 10 * 3600, 'u' || (i % 10), '', '', 'm', '', 'ok', ${sums} from n`.execute(
        tx,
      ),
    )
    if (db.dialect === "postgres") await sql`vacuum analyze`.execute(db.read)
  })
  afterAll(() => opened.remove())

  /** The query plans of all statements that `execute` runs. */
  const plansOf = async (execute: (db: Database) => Promise<unknown>): Promise<string[]> => {
    const { db } = opened
    const queries: RootOperationNode[] = []
    const read = db.read.withPlugin({
      transformQuery: ({ node }) => {
        queries.push(node)
        return node
      },
      transformResult: async ({ result }) => result,
    })
    await execute({ ...db, read, backgroundReader: read })
    const explain = db.dialect === "sqlite" ? "explain query plan" : "explain"
    return Promise.all(
      queries.map(async (node) => {
        const { sql: text, parameters } = db.read.getExecutor().compileQuery(node, createQueryId())
        const query = CompiledQuery.raw(`${explain} ${text}`, [...parameters])
        return JSON.stringify((await db.read.executeQuery(query)).rows)
      }),
    )
  }

  /** Matches plans that read a whole table; on SQLite, also those that use an unsuitable index. */
  const fullScan =
    /Seq Scan on (jobs|files|chats|models|stored_\w+)|SCAN (jobs|files|chats|models|stored_\w+)(?! USING INDEX jobs_leased)/

  it("read no more jobs than needed", async () => {
    const plans = await plansOf(async (db) => {
      const store = createJobStore(db)
      const at = Date.now()
      await store.leases()
      await store.bringForward(["read", "embed"], at + 60_000)
      await store.hasDue({ kind: "embed", slow: 1 }, at)
    })
    expect(plans).toHaveLength(3)
    for (const plan of plans) expect(plan).not.toMatch(fullScan)
  })

  it("read only a user's own rows to compute the storage used", async () => {
    const [plan] = await plansOf(async (db) => {
      const breakdown = await readBreakdown(db.read, "u7")
      const each = rows / owners
      expect(breakdown).toMatchObject({
        files: each,
        text: 2 * each,
        chats: 3 * each,
        responses: 4 * each,
      })
    })
    for (const index of ["files_size", "chats_bytes", "models_user", "stored_responses_size"]) {
      expect(plan).toContain(index)
    }
    expect(plan).not.toMatch(fullScan)
    expect(plan).not.toMatch(
      /(Index|Bitmap Heap) Scan (using \w+ )?on (files|chats|stored_responses)/,
    )
  })

  it("read only the responses of a chain, and the items that a request refers to", async () => {
    const plans = await plansOf(async (db) => {
      const store = createResponseStore(db)
      const owner = { userId: "u7", expiredAt: 0 }
      expect(await store.chain(owner, "r5006", 20)).toHaveLength(20)
      const ids = ["i5006", "i5056"]
      expect(await store.newestItems(owner, { ids, column: "item" })).toHaveLength(2)
      expect(await store.itemsOfResponses("u7", ["r5006", "r5056"])).toHaveLength(2)
    })
    const [chain, ...items] = plans
    expect(chain).not.toMatch(fullScan)
    expect(chain).not.toContain("stored_responses_size")
    expect(items.join()).toContain("stored_response_items_id")
    for (const plan of items) expect(plan).not.toMatch(fullScan)
  })

  it("read the sums of hours only for days that are not up to date", async () => {
    const plans = await plansOf(async (db) => {
      const span = { from: 86_400, to: 200 * 86_400 }
      const query = { ...UsageQuery.parse({ group_by: "model", interval: "day" }), ...span }
      expect(await createUsageStore(db).sumUsage(query, { top: 3, by: "cost" })).toEqual([])
    })
    expect(plans).toHaveLength(1)
    const [plan] = plans
    expect(plan).not.toMatch(/Seq Scan on usage_sums/)
    if (opened.db.dialect === "sqlite") expect(plan).toMatch(/SCAN days.*SEARCH usage_sums/)
  })

  it("read only a user's own sums", async () => {
    const [plan] = await plansOf(async (db) => {
      const query = { ...UsageQuery.parse({ group_by: "day" }), from: 0, to: 200 * 86_400 }
      const days = await createUsageStore(db).sumUsage({
        ...query,
        interval: "hour",
        user_id: "u7",
      })
      expect(days).toHaveLength(200 * 24)
    })
    if (opened.db.dialect === "postgres") expect(plan).toContain("usage_sums_user")
    expect(plan).not.toMatch(/Seq Scan on usage_sums/)
  })
})
